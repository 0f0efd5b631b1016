module github.com/castproof/castproof/packages/go

go 1.18
