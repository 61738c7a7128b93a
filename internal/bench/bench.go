// Package bench measures crev against labelled cases: whether a defect is the
// same defect again (identity), and where its code went (relocate). Every
// measure reads its cases from an fs.FS and depends on nothing else, so that
// the same cases give the same figures everywhere.
package bench
