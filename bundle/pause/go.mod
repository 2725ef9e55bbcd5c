module github.com/ichor-os/ichor/bundle/pause

go 1.26.0
