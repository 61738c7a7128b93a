package main

// commands is the whole command line, in the order of the help text.
func commands() []command {
	return []command{}
}
