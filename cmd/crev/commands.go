package main

// commands is the whole command line, in the order of the help text.
func commands() []command {
	return []command{
		{name: "demo", summary: "tell the whole story in a throw-away repository; no key, no network", run: demoCommand},
		{name: "review", summary: "review a change on this machine: validators, reviewers, judge, ledger", run: reviewCommand},
		{name: "gate", summary: "run the validators alone; exit 1 when one fails", run: gateCommand},
		{name: "learn", summary: "turn replies on GitHub into rules, dismissals and signals", run: learnCommand},
		{name: "action", summary: "run as a step of a GitHub workflow; the event says what to do", run: actionCommand},
		{name: "validators", summary: "list, run and prove the checks that may block", subs: validatorsCommands()},
		{name: "ledger", summary: "count what comes back, turn it into checks, look after the store", subs: ledgerCommands()},
		{name: "rule", summary: "look after what the team decided", subs: ruleCommands()},
		{name: "init", summary: "set a repository up: configuration, ledger, workflows", run: initCommand},
		{name: "doctor", summary: "say whether crev can work here, and what is missing", run: doctorCommand},
		{name: "schema", args: "config|rule|validator|event|finding", summary: "print a JSON Schema, for editors and programs", run: schemaCommand},
		{name: "version", summary: "say which build this is", run: versionCommand},
		{name: "bench", summary: "measure crev on labelled cases", subs: benchCommands()},
	}
}
