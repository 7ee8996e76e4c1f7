/** Calls of one tool with one outcome, and the tokens that their responses took, as estimated. */
export type ToolTally = { calls: number; tokens: number }

export type ToolOutcome = 'ok' | 'error'

/** Counts the calls of each tool; `/metrics` reads them on demand. */
export class ToolUsage {
  readonly tallies = new Map<string, Readonly<Record<ToolOutcome, ToolTally>>>()

  count(tool: string, outcome: ToolOutcome, tokens: number): void {
    let tally = this.tallies.get(tool)
    if (tally === undefined) {
      tally = { ok: { calls: 0, tokens: 0 }, error: { calls: 0, tokens: 0 } }
      this.tallies.set(tool, tally)
    }
    tally[outcome].calls++
    tally[outcome].tokens += tokens
  }
}
