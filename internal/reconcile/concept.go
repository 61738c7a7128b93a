package reconcile

import "strings"

// lexicon lists words of code review that speak of one thing, a line a concept.
// They are no synonyms: a race is not a mutex. But who reports a missing lock and
// who reports a race often mean one defect, and seldom share a word. A word may
// belong to several concepts. The lists were written for this program from what
// reviews usually speak of, not drawn from the findings that it is measured on.
var lexicon = []string{
	"null nil none undefined nullptr nullable npe",
	"leak unclosed close closed dispose release cleanup deallocate dangling",
	"race concurrent concurrency parallel goroutine thread mutex lock locking unsynchronized atomic simultaneous simultaneously toctou synchronization synchronize racy deadlock interleave",
	"panic crash abort segfault dereference throw raise fatal",
	"error exception err failure fail",
	"swallow ignore unchecked unhandled discard silent silently suppress",
	"duplicate duplicated redundant repeat copy twice identical extract",
	"slow performance expensive inefficient latency quadratic overhead unbounded",
	"inject injection xss csrf sanitize escape traversal untrusted vulnerable credential secret",
	"validate validation check guard verify ensure",
	"docstring comment documentation readme jsdoc misleading outdated stale docs doc document",
	"rename naming typo misspell spelling inconsistent inconsistency mismatch",
	"test assertion assert mock fixture coverage untested flaky",
	"unused dead unreachable unnecessary obsolete leftover",
	"cast typing annotation typed type",
	"boundary index negative overflow underflow slice slicing range bounds",
	"timeout deadline delay sleep wait ttl expire expiry expiration",
	"infinite recursion loop iterate iteration",
	"async await promise synchronous synchronously blocking block",
	"permission chmod authorization role access denied privilege",
	"default fallback",
	"log logger logging debug verbose",
	"import module require export",
	"order ordering sort sorted deterministic nondeterministic",
	"encode decode encoding escape serialize serializable serialization deserialize json",
	"transaction rollback commit atomicity",
	"cache cached caching memoize ttl invalidation evict",
	"migrate migration backward compatibility compatible breaking",
	"add missing lack absent omit omitted without",
	"remove delete drop clear",
}

// conceptsOf gives, for a word stem, the concepts it belongs to.
var conceptsOf = invert(lexicon)

func invert(lines []string) map[string][]string {
	of := map[string][]string{}
	for _, line := range lines {
		words := strings.Fields(line)
		for _, w := range words {
			s := stem(w)
			of[s] = append(of[s], words[0])
		}
	}
	return of
}

// concepts returns the concepts that the words among terms speak of, one for
// each word, repeats included.
func concepts(terms []string) []string {
	var out []string
	for _, t := range terms {
		if t[0] == kindWord {
			out = append(out, conceptsOf[t[1:]]...)
		}
	}
	return out
}
