// Command init is the least PID 1 of a test node: it says that it is up, greets
// whoever connects, reboots on SIGHUP and powers off on SIGTERM.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/vishvananda/netlink"
)

func main() {
	var about struct {
		Hostname, Link string
		Addresses      []string
	}
	text, err := os.ReadFile("/system/platform/platform.json")
	if err == nil {
		err = json.Unmarshal(text, &about)
	}
	if err == nil {
		err = address(about.Link, about.Addresses[0])
	}
	if err != nil {
		fmt.Println("broken:", err)
		return
	}
	listener, err := net.Listen("tcp4", ":50000")
	if err != nil {
		fmt.Println("broken:", err)
		return
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			fmt.Fprintf(conn, "hello from %s", about.Hostname)
			conn.Close()
		}
	}()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM)
	fmt.Println("up")
	command := syscall.LINUX_REBOOT_CMD_RESTART
	if <-signals == syscall.SIGTERM {
		command = syscall.LINUX_REBOOT_CMD_POWER_OFF
	}
	fmt.Println("reboot:", syscall.Reboot(command))
	select {}
}

func address(link, address string) error {
	l, err := netlink.LinkByName(link)
	if err != nil {
		return err
	}
	a, err := netlink.ParseAddr(address)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(l, a); err != nil {
		return err
	}
	return netlink.LinkSetUp(l)
}
