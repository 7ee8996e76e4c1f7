import type { WorkflowNode } from '@kontor/contract'
import type { RunScope } from '../templates/index.ts'
import type { Block } from '../plugins/index.ts'
import type { RunRow } from './store.ts'
import type { StepRow, StepSize } from './steps/store.ts'

/** Bytes of JSON that the steps of one run may leave together. */
export const runOutputBytesMax = 16 * 1024 * 1024

/** Bytes of outputs that a run keeps at hand between its steps; the rest is read when a node names it. */
const keptBytesMax = 64 * 1024

type Reader = (numbers: readonly number[]) => Promise<ReadonlyMap<number, unknown>>

/** The outputs that a node needs. */
export type Needed = {
  readonly steps: readonly StepSize[]
  /** Bytes that reading them takes, beside what is at hand. */
  readonly bytes: number
}

/** The outputs of the stored steps of a run: small ones are at hand, others are read when a node names them. */
export class Outputs {
  readonly #read: Reader
  readonly #steps: StepSize[]
  readonly #kept = new Map<number, unknown>()
  #keptBytes = 0
  #bytes: number

  constructor(steps: readonly StepSize[], read: Reader) {
    this.#steps = [...steps]
    this.#read = read
    this.#bytes = steps.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Bytes of all of them. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes of those at hand. */
  get keptBytes(): number {
    return this.#keptBytes
  }

  /** Adds steps that are stored by now; one of a block that has run before takes the place of that. */
  add(done: readonly StepRow[]): void {
    for (const { number, block, output, output_bytes } of done) {
      const bytes = output_bytes ?? 0
      this.#forget(block)
      this.#steps.push({ number, block, bytes })
      this.#bytes += bytes
      if (this.#keptBytes + bytes > keptBytesMax) continue
      this.#kept.set(number, output)
      this.#keptBytes += bytes
    }
  }

  #forget(block: string): void {
    const before = this.#steps.findIndex((step) => step.block === block)
    const [gone] = before < 0 ? [] : this.#steps.splice(before, 1)
    if (gone === undefined) return
    this.#bytes -= gone.bytes
    if (this.#kept.delete(gone.number)) this.#keptBytes -= gone.bytes
  }

  /** The last output of each block that a node names; all steps of one that goes on with itself. */
  neededBy(isNamed: (block: string) => boolean, isLoop: boolean): Needed {
    const last = new Map(this.#steps.map((step) => [step.block, step]))
    const steps = this.#steps.filter((step) => isLoop || (isNamed(step.block) && last.get(step.block) === step))
    const missing = steps.filter(({ number }) => !this.#kept.has(number))
    return { steps, bytes: missing.reduce((sum, { bytes }) => sum + bytes, 0) }
  }

  /** Outputs of steps, in their order. */
  async of(steps: readonly StepSize[]): Promise<readonly { readonly block: string; readonly output: unknown }[]> {
    const missing = steps.flatMap(({ number }) => (this.#kept.has(number) ? [] : [number]))
    const read = missing.length === 0 ? undefined : await this.#read(missing)
    return steps.map(({ number, block }) => ({
      block,
      output: this.#kept.has(number) ? this.#kept.get(number) : (read?.get(number) ?? null),
    }))
  }
}

/** Returns what variables of a run may name: the state of its trigger, and the outputs of blocks. */
export const scopeOf = (
  run: Pick<RunRow, 'trigger_state'>,
  steps: readonly { readonly block: string; readonly output: unknown }[],
): RunScope => ({
  ...Object.fromEntries(steps.map(({ block, output }) => [block, { state: { output } }])),
  trigger: { state: run.trigger_state },
})

/**
 * Tells which blocks a node may name: by its text, whatever the syntax of variables is, so that one too many may be
 * read but none is missed. A program may look at all of them, and so may a test run at what it would have made.
 */
export function namedBy({ input, filters }: WorkflowNode, { readsAll }: Block, isDryRun: boolean) {
  if (readsAll === true || isDryRun) return () => true
  const text = JSON.stringify([input, filters])
  return (block: string): boolean => text.includes(`${block}.state`)
}

/** Bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null))

/** Returns the bytes of everything that steps contain. */
export const bytesOf = (steps: readonly Pick<StepRow, 'contents_bytes'>[]): number =>
  steps.reduce((sum, { contents_bytes: bytes }) => sum + (bytes ?? 0), 0)

/** Returns the bytes of the outputs of steps. */
export const outputBytesOf = (steps: readonly Pick<StepRow, 'output_bytes'>[]): number =>
  steps.reduce((sum, { output_bytes: bytes }) => sum + (bytes ?? 0), 0)
