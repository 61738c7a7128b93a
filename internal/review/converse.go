package review

import (
	"context"
	"fmt"

	"github.com/crev-ratchet/crev/internal/model"
)

// maxTurns is how many times a reviewer may look around before it has to answer.
const maxTurns = 6

// lookups are the tools of a reviewer, read only.
func lookups() []model.Tool {
	return []model.Tool{
		{Name: "read_file", Description: "Read lines of a file, at the head of the change or at its base. At most 400 lines a call.", Parameters: []byte(readFileParameters)},
		{Name: "search", Description: "Find the lines of the head that match a regular expression.", Parameters: []byte(searchParameters)},
		{Name: "list", Description: "List the names in a folder of the head.", Parameters: []byte(listParameters)},
	}
}

// converse sends a request, runs the tools that the model asks for, and goes on
// until it answers. Usage, requests and time are those of the whole
// conversation. Results of tools are other people's text and are fenced.
func (j *job) converse(ctx context.Context, req model.Request, p payer) (model.Reply, error) {
	box := &toolbox{
		head: j.headTree, tracked: j.tracked, redact: j.redact,
		base: func(p string) []byte { return j.oldText(ctx, p) },
	}
	var total model.Reply
	for turn := 1; ; turn++ {
		if turn == maxTurns {
			req.Tools = nil // it has to answer now
		}
		reply, err := j.complete(ctx, req, p)
		reply.Usage = total.Usage.Plus(reply.Usage)
		reply.Requests += total.Requests
		reply.Elapsed += total.Elapsed
		if err != nil || len(reply.Calls) == 0 {
			return reply, err
		}
		total = reply
		req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], model.Message{Role: model.Assistant, Calls: reply.Calls})
		for _, c := range reply.Calls {
			out := box.run(c.Name, c.Arguments)
			req.Messages = append(req.Messages, model.Message{
				Role: model.ToolResult, CallID: c.ID, Content: model.Fenced(req.Fence, "result of "+c.Name, out)})
		}
		j.d.Log.Info(fmt.Sprintf("%s looked around", req.Purpose), "calls", len(reply.Calls), "turn", turn)
	}
}
