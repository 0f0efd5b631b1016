// Prints all that the reader of the Go module, packages/go/book.go, finds in a book: first every request with
// its answer and the rule of all its pieces, then every piece of every answer.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func must[T any](it T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return it
}

func main() {
	b := must(open(must(os.ReadFile(os.Args[1]))))
	out := bufio.NewWriter(os.Stdout)
	for _, pair := range b.pairs {
		from, to := b.dtypes[pair[0]], b.dtypes[pair[1]]
		for _, spec := range b.specs {
			for _, given := range b.attributes {
				if answer, rule, err := b.row(from, to, spec, given); must(answer, err) >= 0 {
					fmt.Fprintf(out, "%s %s %s {%s} %d %s\n", from, to, spec, given, answer, rule)
				}
			}
		}
	}
	for answer := range b.answers {
		for _, piece := range must(b.pieces(answer)) {
			fmt.Fprintf(out, "%d %s\n", answer, must(json.Marshal(piece)))
		}
	}
	must(0, out.Flush())
}
