// Package checker reviews the review: each checker is a step that looks at the
// findings of a batch and may restore, drop or add some. A checker builds a
// model.Request and reads a model.Reply; it sends nothing itself.
//
// A checker's drop hides a comment and is recorded. It never closes a defect.
package checker
