package expertise

import "strings"

// botEmails are addresses that programs commit with: model assistants name
// themselves as co-authors with one, and GitHub signs with its own.
var botEmails = []string{
	"noreply@anthropic.com",
	"noreply@openai.com",
	"noreply@github.com",
	"copilot@github.com",
	"action@github.com",
	"actions@github.com",
	"noreply@aider.chat",
	"cursoragent@cursor.com",
	"bors@rust-lang.org",
}

// botLogins are accounts of programs without "bot" in their name.
var botLogins = []string{"copilot", "copilot-swe-agent", "claude", "codex", "cursoragent", "web-flow", "github-actions"}

// botNames are names that programs commit under and people do not bear.
var botNames = []string{
	"copilot", "github copilot", "github actions", "github action", "github-actions", "claude code",
	"openai codex", "cursor agent", "gemini code assist", "gemini cli", "bors", "weblate",
	"dependabot", "dependabot preview", "renovate",
}

// botEndings mark a name or an account as a program's.
var botEndings = []string{"[bot]", "-bot", "_bot", " bot", "-robot", " robot", "[agent]"}

// isBot reports whether a commit names a program and not a person.
func isBot(who ident) bool {
	name, email := strings.ToLower(who.name), strings.ToLower(who.email)
	for _, e := range botEmails {
		if email == e {
			return true
		}
	}
	for _, n := range botNames {
		if name == n {
			return true
		}
	}
	local, _, _ := strings.Cut(email, "@")
	if strings.HasSuffix(local, "[bot]") || endsLikeBot(name) {
		return true
	}
	// aider writes its model after its name.
	if strings.HasPrefix(name, "aider (") {
		return true
	}
	login := loginOf(who.email)
	return login != "" && isBotLogin(login)
}

// isBotLogin reports whether an account is a program's.
func isBotLogin(login string) bool {
	login = strings.ToLower(login)
	for _, l := range botLogins {
		if login == l {
			return true
		}
	}
	return endsLikeBot(login)
}

func endsLikeBot(s string) bool {
	for _, e := range botEndings {
		if strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

// loginOf returns the account in an address that GitHub gives out so that
// people need not show their own: ID+LOGIN@users.noreply.github.com, without
// the id before 2017, and with the host's own name on GitHub Enterprise.
func loginOf(email string) string {
	local, host, ok := strings.Cut(email, "@")
	if !ok || !strings.HasPrefix(strings.ToLower(host), "users.noreply.") {
		return ""
	}
	if id, login, ok := strings.Cut(local, "+"); ok && strings.Trim(id, "0123456789") == "" {
		return login
	}
	return local
}
