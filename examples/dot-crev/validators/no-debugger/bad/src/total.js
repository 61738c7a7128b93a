export function total(prices) {
  debugger;
  return prices.reduce((a, b) => a + b, 0);
}
