package learn

import "strings"

// StandingOf reads what the API says of a person: none, read, triage, write,
// maintain or admin, and "" when it could not be looked up. The author of the
// pull request may dispute on it.
func StandingOf(permission string, author bool) Standing {
	switch permission {
	case "maintain", "admin":
		return Maintainer
	case "write":
		return Writer
	}
	switch {
	case author:
		return Author
	case permission == "":
		return Unknown
	}
	return Reader
}

// MayDismiss reports whether a person may dismiss a defect by command: writers
// may, but a defect that is shielded not in their own pull request, unless they
// maintain the repository.
func (s Standing) MayDismiss(shielded, ownPullRequest bool) bool {
	if !s.mayWrite() {
		return false
	}
	return !shielded || !ownPullRequest || s == Maintainer
}

// sameLogin compares logins as GitHub does.
func sameLogin(a, b string) bool { return strings.EqualFold(a, b) }
