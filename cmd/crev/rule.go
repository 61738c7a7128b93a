package main

// ruleCommands look after what the team decided.
func ruleCommands() []command {
	return []command{
		{name: "who", args: "[PATH]", summary: "show who knows a file, a folder or a glob, from the history", run: ruleWho},
	}
}
