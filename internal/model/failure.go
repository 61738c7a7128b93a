package model

// Failure says why a request has no reply. The zero value is an unknown fault.
type Failure string

// The failures a caller tells apart. Each leaves its batch unreviewed with this
// word as the reason.
const (
	// Refused: the model or a content filter declined.
	Refused Failure = "refused"
	// TooLong: the prompt does not fit, the reply was cut, or the endpoint
	// silently dropped part of the prompt.
	TooLong Failure = "context_truncated"
	// BadOutput: no rung of the ladder gave JSON that fits the schema.
	BadOutput Failure = "bad_output"
	// Unauthorized: the key, the quota or the model name is not accepted.
	Unauthorized Failure = "unauthorized"
	// Unavailable: the endpoint could not be reached or kept failing.
	Unavailable Failure = "unavailable"
	// NotRecorded: replay mode has no answer for this request.
	NotRecorded Failure = "not_recorded"
	// OverBudget: the caller's admission check refused to pay for it.
	OverBudget Failure = "budget"
)

// Sentence says in plain words what happened and what to do. It has no full stop,
// so that it can end a line or stand in brackets.
func (f Failure) Sentence() string {
	switch f {
	case Refused:
		return "the model declined to answer; read the change yourself, or ask another model"
	case TooLong:
		return "the model did not read the whole change, or its answer was cut; lower batch.max_lines or raise the server's context"
	case BadOutput:
		return "the model's answer was not in the form crev asks for; use a model that can write JSON"
	case Unauthorized:
		return "the endpoint did not accept the key, the account or the model's name; run crev doctor"
	case Unavailable:
		return "the model's endpoint did not answer; run crev doctor, or run the review again later"
	case NotRecorded:
		return "the recording has no answer to this request; record it again with --record"
	case OverBudget:
		return "the run's budget is spent; raise model.max_tokens_per_run or model.max_usd_per_run"
	}
	return "the model could not be asked; the log has the error"
}
