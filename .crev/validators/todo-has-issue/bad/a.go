package a

// TODO handle the error
func f() {}
