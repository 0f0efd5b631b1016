// Prints every code of a request with its answer, in the form of vector files.
//
//	gunzip -c book.json.gz | go run expand.go main.go onnx-cast-28 float16 int8 '{}'
//	gunzip -c book.json.gz | go run expand.go main.go 16      (every answer of sources up to 16 bits)
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"strings"
)

func main() {
	var book struct {
		Requests []object
		Answers  []struct {
			FromBits, ToBits uint64
			Pieces           []object
		}
	}
	if err := json.NewDecoder(os.Stdin).Decode(&book); err != nil {
		panic(err)
	}
	out, whole, wanted := bufio.NewWriter(os.Stdout), "", -1
	defer out.Flush()
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
		for _, piece := range answer.Pieces {
			for _, nested := range []string{"shift", "tolerateByCode"} {
				if piece[nested] != nil {
					json.Unmarshal(piece[nested], &piece)
				}
			}
			last := piece.number("last")
			for code := piece.number("first"); index == wanted || answer.FromBits <= most; code++ {
				out.WriteString(piece.line(code, whole, answer.FromBits, answer.ToBits))
				if code == last {
					break
				}
			}
		}
	}
}
