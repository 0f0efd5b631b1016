// Prints every code of a request with its answer, in the form of vector files.
//
//	gunzip -c book.json.gz | go run expand.go main.go onnx-cast-28 float16 int8 '{}'
//	gunzip -c book.json.gz | go run expand.go main.go 16      (every answer of sources up to 16 bits)
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
)

type answer struct {
	FromBits, ToBits uint64
	Pieces           []object
}

type book struct {
	Format   string
	Requests []object
	Answers  []answer
}

// Ends the program with one line.
func refuse(form string, parts ...any) {
	fmt.Fprintf(os.Stderr, "expand: "+form+"\n", parts...)
	os.Exit(1)
}

// The last code of each piece, which only castproof-book/1 writes down.
func (a answer) ends(former bool) (ends []uint64, problem error) {
	greatest := ^uint64(0) >> (64 - a.FromBits)
	if len(a.Pieces) == 0 {
		return nil, errors.New("it has no pieces: begin with a piece at 0")
	}
	if first := a.Pieces[0].number("first"); first != 0 {
		return nil, fmt.Errorf("the first piece begins at %#x: begin it at 0", first)
	}
	for place, piece := range a.Pieces {
		first, end, last := piece.number("first"), greatest, piece.number("last")
		if place+1 < len(a.Pieces) {
			next := a.Pieces[place+1].number("first")
			if next <= first {
				return nil, fmt.Errorf("a piece at %#x follows one at %#x: put them in ascending order", next, first)
			}
			end = next - 1
		} else if first > end {
			return nil, fmt.Errorf("a piece begins at %#x, but the greatest code is %#x: remove it", first, greatest)
		}
		if former && piece["last"] == nil {
			return nil, fmt.Errorf("the piece at %#x has no 'last': add it, or give castproof-book/5", first)
		}
		if !former && piece["last"] != nil {
			return nil, fmt.Errorf("the piece at %#x has a 'last': remove it, or give castproof-book/1", first)
		}
		if former && last != end {
			return nil, fmt.Errorf("the piece at %#x ends at %#x: end it at %#x, without gap or overlap", first, last, end)
		}
		ends = append(ends, end)
	}
	return ends, nil
}

// Reads a book, and the last code of each piece of each answer.
func read() (read book, ends [][]uint64) {
	if err := json.NewDecoder(os.Stdin).Decode(&read); err != nil {
		refuse("the input is not a book: %v", err)
	}
	former := read.Format == "castproof-book/1"
	number := strings.TrimPrefix(read.Format, "castproof-book/")
	if len(number) != 1 || !strings.Contains("12345", number) || number == read.Format {
		refuse("its format is '%s': give one of castproof-book/1 to castproof-book/5", read.Format)
	}
	for index, answer := range read.Answers {
		of, problem := answer.ends(former)
		if problem != nil {
			refuse("answer %d: %v", index, problem)
		}
		ends = append(ends, of)
	}
	return read, ends
}

// Ends the program if the output cannot be written; quietly, if nobody reads on.
func check(err error) {
	if errors.Is(err, syscall.EPIPE) {
		os.Exit(0)
	}
	if err != nil {
		refuse("the output cannot be written: %v", err)
	}
}

func main() {
	// Without this a closed pipe ends the program with a signal.
	signal.Ignore(syscall.SIGPIPE)
	book, ends := read()
	out, whole, wanted := bufio.NewWriter(os.Stdout), "", -1
	most, _ := strconv.ParseUint(os.Args[1], 10, 64)
	for _, row := range book.Requests {
		met := len(os.Args) == 5
		for i, name := range []string{"specs", "from", "to", "attributes"} {
			asked := append(os.Args, "", "", "")[i+1]
			met = met && strings.Contains(string(row[name]), pick(i < 3, `"`+asked+`"`, asked))
		}
		if met {
			whole, wanted = string(row["rule"]), int(row.number("answer"))
		}
	}
	for index, answer := range book.Answers {
		if index != wanted && answer.FromBits > most {
			continue
		}
		for place, piece := range answer.Pieces {
			for _, nested := range []string{"shift", "tolerateByCode"} {
				if piece[nested] != nil {
					json.Unmarshal(piece[nested], &piece)
				}
			}
			for code := piece.number("first"); ; code++ {
				_, err := out.WriteString(piece.line(code, whole, answer.FromBits, answer.ToBits))
				check(err)
				if code == ends[index][place] {
					break
				}
			}
		}
	}
	check(out.Flush())
}
