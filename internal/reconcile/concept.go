package reconcile

import "strings"

// lexicon lists words of code review that speak of one thing, a line a concept.
// They are no synonyms: a race is not a mutex. But who reports a missing lock and
// who reports a race often mean one defect, and seldom share a word. A word may
// belong to several concepts. The lists were written for this program from what
// reviews usually speak of, not drawn from the findings that it is measured on.
var lexicon = []string{
	"null nil none undefined nullptr nullable npe",
	"leak unclosed close closed dispose release cleanup deallocate dangling descriptor handle finalizer destroy free unreleased",
	"race concurrent concurrency parallel goroutine thread worker mutex lock locking locked unlock unsynchronized atomic simultaneous simultaneously toctou synchronization synchronize racy deadlock interleave together",
	"panic crash abort segfault dereference throw raise fatal abnormal",
	"error exception err failure fail",
	"swallow ignore unchecked unhandled discard silent silently suppress errcheck quietly unnoticed",
	"duplicate duplicated redundant repeat copy twice identical extract clone",
	"slow performance expensive inefficient latency quadratic overhead stringbuilder allocation",
	"inject injection untrusted vulnerable tainted unescaped escape sanitize unsanitized quote interpolate interpolation concatenate concatenation",
	"sql query statement prepared parameterized placeholder bind bound",
	"xss html markup innerhtml dom script htmlspecialchars dangerouslysetinnerhtml",
	"traversal path directory symlink filename dotdot",
	"secret credential password hardcoded hardcode token key plaintext rotate vault secretkeyref",
	"cleartext clear http https tls ssl certificate encrypt encrypted encryption unencrypted insecure",
	"hash md5 sha1 bcrypt scrypt argon2 salt unsalted digest crack",
	"random rand predictable guess entropy securerandom cryptographic",
	"login session cookie authentication unauthenticated forge forged fixation csrf authenticity",
	"permission chmod authorization unauthorized role access denied privilege privileged root capability anybody anyone whoever",
	"deserialize unserialize deserialization pickle unpickle marshal gadget",
	"personal sensitive private pii privacy gdpr expose",
	"validate validation check guard verify ensure",
	"docstring comment documentation readme jsdoc misleading outdated stale docs doc document promise contradict",
	"rename naming typo misspell spelling inconsistent inconsistency mismatch",
	"test assertion assert mock fixture coverage untested flaky",
	"unused dead unreachable unnecessary obsolete leftover",
	"cast typing annotation typed type",
	"boundary index negative overflow underflow slice slicing range bounds off-by-one past wrap",
	"equal equality compare comparison identity operator assign assignment",
	"float double decimal bigdecimal rounding precision money cent currency",
	"zero divide division modulo divisor",
	"timeout deadline delay sleep wait ttl expire expiry expiration hang hangs",
	"cancel cancelled cancellation context ctx stop shutdown graceful interrupt",
	"infinite recursion loop iterate iteration endless forever",
	"async await promise synchronous synchronously blocking block unawaited",
	"limit unbounded unlimited grow maximum exhaust pagination paginate memory trim evict cap",
	"default fallback",
	"log logger logging debug verbose",
	"import module require export",
	"order ordering sort sorted deterministic nondeterministic",
	"encode decode encoding escape serialize serializable serialization json",
	"transaction rollback commit atomicity atomic",
	"cache cached caching memoize ttl invalidation evict",
	"migrate migration backward compatibility compatible breaking",
	"listener handler subscribe unsubscribe addeventlistener removeeventlistener callback",
	"latest tag pin pinned digest reproducible unpinned",
	"port listen address probe",
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
