// Package bench measures crev against cases whose truth is known: where a
// defect's code is after a change, and which findings are one defect. Every
// figure in docs/ that is about quality comes from here, with the command that
// prints it.
//
// The package is pure. It reads cases from an fs.FS, draws its bootstrap from a
// fixed seed, and asks no model; where a model would be asked, a scripted answer
// stands in and the result says so.
package bench
