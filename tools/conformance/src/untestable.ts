/** The sentences that no request can try, each with the reason and, where there is one, the test that does. */
export const untestable: Readonly<Record<string, string>> = {
  "1.4": "two deployments are not seen from one address",
  "2.9": "pets are never removed, so a reuse cannot be provoked; the contract suite of the store tries it",
  "4.1.28": "a cost is measured, not asserted: the bench shows it",
  "4.2.50": "a client cannot crash the service; the kill test does",
  "4.3.11": "a client cannot move the service's clock",
  "4.4.11": "a client cannot crash the service; the kill test does",
  "5.16": "the commands are tried by their own tests",
  "6.1": "the absence of events cannot be seen",
  "7.6": "a client cannot provoke a defect; a test with a failing adapter does",
  "7.7": "a client cannot take the store away; a test with a failing adapter does",
  "12.9": "a run does not last 24 hours",
  "12.10": "a client cannot crash the service; the kill test does",
  "14.5": "workers are not seen from outside; a test that starts them tries it",
  "15.1": "a client cannot stop the service; the test of the serve command does",
  "15.2": "the store is not seen from outside; the test of the migrations tries it",
}
