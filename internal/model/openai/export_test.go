package openai

// Correction is what estimates are multiplied by after what the endpoint counted
// so far.
func (c *Client) Correction() float64 { return c.calibrate.Factor() }
