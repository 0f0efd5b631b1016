// Judges kernels by a small file: prints its inputs, and then `pass` or `fail` for each line of results. The test
// puts the names of the dtypes in the place of NAME, and the width of a result in the place of BITS.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"mine/castvectors"
)

func main() {
	fmt.Println(strings.Trim(fmt.Sprint(castvectors.NAMEInput), "[]"))
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		verdict := "pass"
		for i, word := range strings.Fields(lines.Text()) {
			got, _ := strconv.ParseUint(word, 10, 64)
			if !castvectors.NAMEIsRight(i, uintBITS(got)) || !castvectors.NAMEIsRight(i, castvectors.NAMEExpected[i]) {
				verdict = "fail"
			}
		}
		fmt.Println(verdict)
	}
}
