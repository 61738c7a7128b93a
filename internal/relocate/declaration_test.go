package relocate

import (
	"strings"
	"testing"

	"github.com/crev-ratchet/crev/internal/finding"
)

const depotJava = `package depot;

import java.util.List;

class Depot {
    private final List<Parcel> parcels;
    private final Clock nightShiftClock;
    private int count;

    void accept(Parcel parcel, Clerk clerk, boolean urgent) {
        parcels.add(parcel);
        if (parcel.isOpen() && clerk.isNew()) {
            throw new IllegalStateException("parcel is open");
        }
        clerk.note(parcel.weight(), urgent);
    }
}
`

func TestLocateDeclaration(t *testing.T) {
	t.Parallel()
	const path = "depot/Depot.java"
	tests := map[string]struct {
		edits []string // old and new texts in turn
		other string   // another file that the change adds
		at    string   // in the old line
		want  string   // in the new line, "" for gone
		how   How
	}{
		"an annotation was added above a type": {
			edits: []string{"class Depot {", "@ThreadSafe\nclass Depot {"},
			at:    "class Depot {", want: "@ThreadSafe", how: Rewritten,
		},
		"a comment was added above a type that was edited": {
			edits: []string{"class Depot {", "/**\n * Keeps parcels.\n */\nfinal class Depot {"},
			at:    "class Depot {", want: "/**", how: Rewritten,
		},
		"a comment stands apart from a type": {
			edits: []string{"class Depot {", "// Parcels are kept for a week.\n\nclass Depot {"},
			at:    "class Depot {", want: "class Depot {", how: Shifted,
		},
		"a comment was added above a function": {
			edits: []string{"    void accept(", "    // Takes a parcel in.\n    void accept("},
			at:    "void accept(", want: "void accept(", how: Shifted,
		},
		"a parameter was edited and the signature spread over lines": {
			edits: []string{"Parcel parcel, Clerk clerk, boolean urgent", "\n            Parcel parcel,\n            Employee employee,\n            boolean urgent"},
			at:    "void accept(", want: "Employee employee", how: Rewritten,
		},
		"several parameters were edited": {
			edits: []string{"Parcel parcel, Clerk clerk, boolean urgent", "\n            Box box,\n            Employee employee,\n            boolean urgent"},
			at:    "void accept(", want: "void accept(", how: Rewritten,
		},
		"a signature was only spread over lines": {
			edits: []string{"Parcel parcel, Clerk clerk, boolean urgent", "\n            Parcel parcel,\n            Clerk clerk,\n            boolean urgent"},
			at:    "void accept(", want: "void accept(", how: Rewritten,
		},
		"a condition was cut in two": {
			edits: []string{"        if (parcel.isOpen() && clerk.isNew()) {\n", "        audit.record(parcel);\n        // The clerk is asked last.\n        if (parcel.isOpen()) {\n          if (clerk.isNew()) {\n"},
			at:    "parcel.isOpen() &&", want: "if (parcel.isOpen()) {", how: Rewritten,
		},
		"a field became two that are as much alike": {
			edits: []string{
				"    private final List<Parcel> parcels;\n",
				"    private final List<Parcel> smallOnes;\n\n    private final List<Parcel> large_one;\n",
			},
			at: "List<Parcel> parcels", how: Gone,
		},
		"a field went alone into a new file": {
			edits: []string{"    private final Clock nightShiftClock;\n", ""},
			other: "class Shift {\n    int hours;\n    private final Clock nightShiftClock;\n}\n",
			at:    "nightShiftClock", want: "nightShiftClock", how: Moved,
		},
		"a field of the same name and another type": {
			edits: []string{"    private final Clock nightShiftClock;\n", ""},
			other: "class Shift {\n    int hours;\n    private static Instant nightShiftClock;\n}\n",
			at:    "nightShiftClock", how: Gone,
		},
		"a field stands at two places now": {
			edits: []string{"    private final Clock nightShiftClock;\n", ""},
			other: "class Shift {\n    int hours;\n    private final Clock nightShiftClock;\n}\nclass Break {\n    int minutes;\n    private final Clock nightShiftClock;\n}\n",
			at:    "nightShiftClock", how: Gone,
		},
		"a field that says too little": {
			edits: []string{"    private int count;\n", ""},
			other: "class Shift {\n    int hours;\n    private int count;\n}\n",
			at:    "private int count", how: Gone,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := depotJava
			for i := 0; i < len(tc.edits); i += 2 {
				if !strings.Contains(text, tc.edits[i]) {
					t.Fatalf("%q is not in the text", tc.edits[i])
				}
				text = strings.Replace(text, tc.edits[i], tc.edits[i+1], 1)
			}
			files := []File{{OldPath: path, NewPath: path, Old: Bytes([]byte(depotJava)), New: Bytes([]byte(text))}}
			if tc.other != "" {
				files = append(files, File{NewPath: "depot/Shift.java", New: Bytes([]byte(tc.other))})
			}
			at := lineOf(t, depotJava, tc.at)
			a, err := New(Change{Files: files}, Options{}).Locate(finding.Location{Path: path, Start: at, End: at})
			if err != nil {
				t.Fatal(err)
			}
			if a.How != tc.how {
				t.Fatalf("Locate = %+v; want it %s", a, tc.how)
			}
			if tc.want == "" {
				return
			}
			in := text
			if a.Location.Path != path {
				in = tc.other
			}
			if want := lineOf(t, in, tc.want); a.Location.Start != want {
				t.Errorf("Locate = line %d of %s (%s), want %d", a.Location.Start, a.Location.Path, a.Reason, want)
			}
		})
	}
}

// A range that covers more than the signature stays at its first line.
func TestLocateSignatureOfRange(t *testing.T) {
	t.Parallel()
	text := strings.Replace(depotJava, "Parcel parcel, Clerk clerk,", "\n            Parcel parcel,\n            Employee employee,\n           ", 1)
	m := New(Change{Files: []File{{OldPath: "Depot.java", NewPath: "Depot.java", Old: Bytes([]byte(depotJava)), New: Bytes([]byte(text))}}}, Options{})
	at := lineOf(t, depotJava, "void accept(")
	a, err := m.Locate(finding.Location{Path: "Depot.java", Start: at, End: at + 6})
	if err != nil {
		t.Fatal(err)
	}
	if want := lineOf(t, text, "void accept("); a.Location.Start != want {
		t.Errorf("Locate = line %d (%s), want %d", a.Location.Start, a.Reason, want)
	}
}

// Where the old text of another file is not known, a declaration there may have
// been there before.
func TestLocateFieldInUnknownFile(t *testing.T) {
	t.Parallel()
	const other = "class Shift {\n    int hours;\n    private final Clock nightShiftClock;\n}\n"
	text := strings.Replace(depotJava, "    private final Clock nightShiftClock;\n", "", 1)
	m := New(Change{Files: []File{
		{OldPath: "Depot.java", NewPath: "Depot.java", Old: Bytes([]byte(depotJava)), New: Bytes([]byte(text))},
		{OldPath: "Shift.java", NewPath: "Shift.java", New: Bytes([]byte(other))},
	}}, Options{})
	at := lineOf(t, depotJava, "nightShiftClock")
	a, err := m.Locate(finding.Location{Path: "Depot.java", Start: at})
	if err != nil {
		t.Fatal(err)
	}
	if a.How != Candidate || a.Location.Path != "Shift.java" || a.Location.Start != 3 {
		t.Errorf("Locate = %+v, want Shift.java:3 as a candidate", a)
	}
}

// Outside declarations the one before the place tells an original from a copy
// that was inserted above it.
func TestLocateCopyOutsideDeclarations(t *testing.T) {
	t.Parallel()
	const unit = "const twice = (amount) => {\n  return amount + amount;\n};\n\n" +
		"each(orders, (order) => {\n  const label = carriers.labelFor(order.address);\n  order.tracking = carriers.pickup(label, order.weight);\n});\n"
	const before = "import { each } from './each.js';\n\n" + unit
	after := "import { each } from './each.js';\n\n" + strings.Replace(unit, "twice", "twiceCopy", 1) + "\n" + unit
	m := New(Change{Files: []File{{OldPath: "a.ts", NewPath: "a.ts", Old: Bytes([]byte(before)), New: Bytes([]byte(after))}}}, Options{})
	at := lineOf(t, before, "order.tracking")
	a, err := m.Locate(finding.Location{Path: "a.ts", Start: at})
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Count(after[:strings.LastIndex(after, "order.tracking")], "\n") + 1
	if a.Location.Start != want || !a.Ambiguous || len(a.Candidates) == 0 {
		t.Errorf("Locate = line %d (%s), ambiguous %v; want %d, ambiguous", a.Location.Start, a.Reason, a.Ambiguous, want)
	}
}

// A handler is told from the ones beside it by the error that it takes.
func TestLocateCaught(t *testing.T) {
	t.Parallel()
	const before = `class Main {
    static void main(String[] args) {
        try {
            processCommandLine(parse(args));
            parsed = true;
        }
        catch (final ParseException e) {
            System.err.println("Could not read the arguments: " + e.getMessage());
            e.printStackTrace();
        }
        catch (final IOException e) {
            System.err.println("Could not read: " + e.getMessage());
            e.printStackTrace();
        }
    }
}
`
	const after = `class Main {
    static void main(String[] args) {
        int status = 0;
        try {
            final CommandLine line = parse(args);
            if (line.hasOption("v")) {
                System.out.println(version());
            }
        }
        catch (ParseException pex) {
            // Say what would be right.
            status = 1;
            usage(pex.getMessage());
        }
        catch (IOException io) {
            // The disk is gone.
            status = 2;
            report(io);
        }
    }
}
`
	m := New(Change{Files: []File{{OldPath: "Main.java", NewPath: "Main.java", Old: Bytes([]byte(before)), New: Bytes([]byte(after))}}}, Options{})
	at := lineOf(t, before, "catch (final ParseException")
	a, err := m.Locate(finding.Location{Path: "Main.java", Start: at, End: at})
	if err != nil {
		t.Fatal(err)
	}
	if want := lineOf(t, after, "catch (ParseException"); a.Location.Start != want {
		t.Errorf("Locate = %s line %d (%s), want %d", a.How, a.Location.Start, a.Reason, want)
	}
	for line, want := range map[string]string{
		"    } catch (final java.io.IOException | ParseException e) {": "java.io.IOException",
		"except (KeyError, ValueError):":                               "KeyError",
		"} catch (...) {":                                              "...",
		"} catch {":                                                    "",
		"except:":                                                      "",
	} {
		lead := "catch"
		if strings.HasPrefix(line, "except") {
			lead = "except"
		}
		if got := caught(line, lead); got != want {
			t.Errorf("caught(%q) = %q, want %q", line, got, want)
		}
	}
}
