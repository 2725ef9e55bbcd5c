// Etcd is the server and its two tools, etcdctl and etcdutl, in one
// executable. It acts as the tool whose name it is started under, and as the
// server under any other name.
package main

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/etcdctl/v3/ctlv3"
	"go.etcd.io/etcd/etcdutl/v3/etcdutl"
	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	switch filepath.Base(os.Args[0]) {
	case "etcdctl":
		ctlv3.MustStart()
	case "etcdutl":
		if err := utlCommand().Execute(); err != nil {
			os.Exit(1) // cobra has printed the error
		}
	default:
		etcdmain.Main(os.Args)
	}
}

// utlCommand assembles etcdutl. Its commands are a package, but the root that
// joins them and holds their common flags is a main package.
func utlCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "etcdutl",
		Short: "Works on etcd data files while no server uses them.",
	}
	flags := root.PersistentFlags()
	flags.DurationVar(&etcdutl.FlockTimeout, "timeout", 10*time.Second,
		"how long to wait for the lock of the database file, 0 for ever")
	flags.StringVarP(&etcdutl.OutputFormat, "write-out", "w", "simple",
		"output format (fields, json, protobuf, simple, table)")
	root.AddCommand(
		etcdutl.NewDefragCommand(),
		etcdutl.NewSnapshotCommand(),
		etcdutl.NewHashKVCommand(),
		etcdutl.NewMigrateCommand(),
		etcdutl.NewVersionCommand(),
		etcdutl.NewCompletionCommand(),
	)
	return root
}
