package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/libaoso/aoso"
	"github.com/libaoso/aoso/tcp"
)

// ranks are the processes that train together, of which this is one.
type ranks struct {
	from      string // "env"; "": this process trains alone
	options   tcp.Options
	connected *tcp.Collective
}

func (r *ranks) bind(c *cobra.Command) {
	c.Flags().StringVar(&r.from, "ranks", "", "`where` it is said which rank of several processes this one is, each with some of the rows: env, the environment "+
		"variables AOSO_RANK, AOSO_WORLD_SIZE, AOSO_MASTER_ADDR, AOSO_MASTER_PORT and AOSO_SECRET; rank 0 saves the model")
	complete(c, "ranks", "env")
	listUnder(c.Flags(), "Computing", "ranks")
}

// check checks the flag, and what it refers to.
func (r *ranks) check() (err error) {
	switch r.from {
	case "":
	case "env":
		r.options, err = tcp.FromEnv()
		r.options.Version = version()
	default:
		err = fmt.Errorf("ranks is %q; allowed: env", r.from)
	}
	return usageError(err)
}

// connect connects this process with the others, if there are any.
func (r *ranks) connect() (err error) {
	if r.from != "" {
		r.connected, err = tcp.Connect(context.Background(), r.options)
	}
	return err
}

// collective returns the ranks as an option of a dataset; nil if this process trains alone.
func (r *ranks) collective() aoso.Collective {
	if r.connected == nil {
		return nil
	}
	return r.connected
}

// first reports whether this process saves the model.
func (r *ranks) first() bool { return r.options.Rank == 0 }

// end closes the connections. It tells the other processes the error of this one, if there is one.
func (r *ranks) end(err error) {
	if r.connected == nil {
		return
	}
	if err != nil {
		r.connected.Abort(err.Error())
	}
	r.connected.Close()
}
