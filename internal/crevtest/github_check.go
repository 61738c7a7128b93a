package crevtest

import "fmt"

// checkRun is a check run made through the API.
type checkRun struct {
	id          int64
	name, sha   string
	externalID  string
	detailsURL  string
	status      string
	conclusion  string
	title       string
	summary     string
	text        string
	annotations []object
	at          any
}

// commitStatus is a status of a commit.
type commitStatus struct {
	id                  int64
	sha, context, state string
	description, target string
	by                  string
	created             any
}

// checkInput is what both checks operations take.
type checkInput struct {
	Name       string  `json:"name"`
	HeadSHA    string  `json:"head_sha"`
	ExternalID *string `json:"external_id"`
	DetailsURL *string `json:"details_url"`
	Status     *string `json:"status"`
	Conclusion *string `json:"conclusion"`
	Output     *struct {
		Title, Summary, Text string
		Annotations          []object
	} `json:"output"`
}

func (in *checkInput) apply(k *checkRun) {
	set := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	set(&k.externalID, in.ExternalID)
	set(&k.detailsURL, in.DetailsURL)
	set(&k.status, in.Status)
	set(&k.conclusion, in.Conclusion)
	if in.Conclusion != nil {
		k.status = "completed"
	}
	if in.Output != nil {
		k.title, k.summary, k.text = in.Output.Title, in.Output.Summary, in.Output.Text
		// GitHub adds to the annotations that are there.
		k.annotations = append(k.annotations, in.Output.Annotations...)
	}
}

func (c *call) createCheck() *reply {
	var in checkInput
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	sha := c.g.git.resolve(in.HeadSHA)
	if sha == "" {
		return refused("No commit found for SHA: " + in.HeadSHA)
	}
	k := &checkRun{id: c.g.next("check"), name: in.Name, sha: sha, status: "queued", at: stamp(c.g.tick())}
	in.apply(k)
	c.g.checks = append(c.g.checks, k)
	return created(c.g.renderCheck(k))
}

func (c *call) updateCheck() *reply {
	var in checkInput
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	for _, k := range c.g.checks {
		if k.id == c.number("check_run_id") {
			in.apply(k)
			c.g.tick()
			return ok(c.g.renderCheck(k))
		}
	}
	return notFound()
}

func (c *call) listChecks() *reply {
	sha := c.g.git.resolve(c.params["ref"])
	var found []*checkRun
	for _, k := range c.g.checks {
		if k.sha == sha && (c.query.Get("check_name") == "" || c.query.Get("check_name") == k.name) {
			found = append(found, k)
		}
	}
	r := page(c, found, func(k *checkRun) any { return c.g.renderCheck(k) })
	r.body = object{"total_count": len(found), "check_runs": r.body}
	return r
}

func (g *GitHub) renderCheck(k *checkRun) object {
	url := g.api("check-runs", fmt.Sprint(k.id))
	o := object{
		"id": k.id, "node_id": fmt.Sprintf("CR_%d", k.id), "name": k.name, "head_sha": k.sha,
		"external_id": nullable(k.externalID), "url": url, "html_url": g.html("runs", fmt.Sprint(k.id)),
		"details_url": nullable(k.detailsURL), "status": k.status, "conclusion": nullable(k.conclusion),
		"started_at": k.at, "completed_at": nil, "check_suite": object{"id": 1}, "app": nil,
		"pull_requests": []any{},
		"output": object{
			"title": nullable(k.title), "summary": nullable(k.summary), "text": nullable(k.text),
			"annotations_count": len(k.annotations), "annotations_url": url + "/annotations",
		},
	}
	if k.status == "completed" {
		o["completed_at"] = k.at
	}
	return o
}

func (c *call) createStatus() *reply {
	var in struct {
		State, Context, Description string
		TargetURL                   string `json:"target_url"`
	}
	if err := c.decode(&in); err != nil {
		return c.g.broken(c, err)
	}
	sha := c.g.git.resolve(c.params["sha"])
	if sha == "" {
		return refused("No commit found for SHA: " + c.params["sha"])
	}
	s := &commitStatus{
		id: c.g.next("status"), sha: sha, context: orElse(in.Context, "default"), state: in.State,
		description: in.Description, target: in.TargetURL, by: c.login(), created: stamp(c.g.tick()),
	}
	c.g.statuses = append(c.g.statuses, s)
	return created(c.g.renderStatus(s))
}

func (c *call) listStatuses() *reply {
	sha := c.g.git.resolve(c.params["ref"])
	var found []*commitStatus
	for i := len(c.g.statuses) - 1; i >= 0; i-- {
		if c.g.statuses[i].sha == sha {
			found = append(found, c.g.statuses[i])
		}
	}
	return page(c, found, func(s *commitStatus) any { return c.g.renderStatus(s) })
}

func (g *GitHub) renderStatus(s *commitStatus) object {
	return object{
		"id": s.id, "node_id": fmt.Sprintf("SC_%d", s.id), "url": g.api("statuses", s.sha),
		"avatar_url": nil, "state": s.state, "description": nullable(s.description),
		"target_url": nullable(s.target), "context": s.context,
		"created_at": s.created, "updated_at": s.created, "creator": g.user(s.by),
	}
}
