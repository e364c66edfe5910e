// An instance of a service of go-zero, which registers itself under the service's key.
//
//	go-zero KEY ADDRESS
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/zeromicro/go-zero/core/discov"
	"github.com/zeromicro/go-zero/core/logx"
)

func main() {
	logx.Disable()
	p := discov.NewPublisher([]string{os.Getenv("ETCD_ENDPOINT")}, os.Args[1], os.Args[2])
	if err := p.KeepAlive(); err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("registered")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		p.Stop()
		fmt.Println("stopped")
	}
}
