package a

// TODO(#12): handle the error.
func f() {}
