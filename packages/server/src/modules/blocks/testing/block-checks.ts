import assert from 'node:assert/strict'
import { z } from 'zod'
import { Failure, failure } from '../../../kernel/errors.ts'
import type { RunScope } from '../../templates/index.ts'
import { StepFailure, type Block, type BlockContext } from '../../plugins/index.ts'
import { contextOf, StandIn, type Answers, type StandInFault } from './stand-in.ts'

/** A step of a block, and what it should come to. */
export type Example = {
  readonly input: Readonly<Record<string, unknown>>
  /** Responses of the operations that it calls; none for a block that calls none. */
  readonly answers?: Answers
  readonly scope?: RunScope
  readonly output: unknown
  /** Its output in a test run, in which it must change nothing. */
  readonly rehearsal: unknown
}

/** A statement about a block, and what throws where it does not hold. */
export type BlockCheck = readonly [title: string, check: () => Promise<void>]

/** Returns the checks that every block must pass, for an example of it: `test.each(blockChecks(…))`. */
export const blockChecks = (block: Block, example: Example): readonly BlockCheck[] => [
  ['says what it takes and gives as JSON Schema', () => saysSchemas(block)],
  ['answers as its schema says, and as the example does', () => succeeds(block, example)],
  ['refuses an input with a member that it does not know', () => refuses(block, example)],
  ['fails with the code of the operation that failed', () => fails(block, example)],
  ['acts once where an operation failed at first', () => triesAgain(block, example)],
  ['acts once where an operation did its work and its answer met the timeout', () => outlivesTimeouts(block, example)],
  ['acts once where the server crashed before its output was stored', () => survives(block, example)],
  ['changes nothing in a test run', () => rehearses(block, example)],
  ['gives up when it is told to', () => stops(block, example)],
]

/** Runs a block once; rejects unless it is done. */
async function outputOf(block: Block, context: BlockContext, input: unknown): Promise<unknown> {
  const outcome = await block.run(context, input)
  assert.equal(outcome.state, 'done')
  return outcome.state === 'done' ? outcome.output : undefined
}

function tried(block: Block, example: Example, changes: Partial<BlockContext> = {}, fault?: StandInFault) {
  const api = new StandIn(example.answers ?? {}, fault)
  const context = contextOf(api.call, { scope: example.scope ?? {}, ...changes })
  return { api, run: () => outputOf(block, context, example.input) }
}

async function saysSchemas(block: Block): Promise<void> {
  for (const [schema, io] of [
    [block.input, 'input'],
    [block.output, 'output'],
  ] as const)
    assert.ok(Object.keys(z.toJSONSchema(schema, { io, unrepresentable: 'any' })).length > 1)
}

async function succeeds(block: Block, example: Example): Promise<void> {
  const { run } = tried(block, example)
  const output = await run()
  assert.deepEqual(output, example.output)
  // As it comes back from the database.
  assert.deepEqual(block.output.parse(JSON.parse(JSON.stringify(output))), output)
}

async function refuses(block: Block, example: Example): Promise<void> {
  const context = contextOf(new StandIn(example.answers ?? {}).call)
  await assert.rejects(block.run(context, { ...example.input, no_such_member: 1 }), isInvalidInput)
  await assert.rejects(block.run(context, null), isInvalidInput)
}

const isInvalidInput = (error: unknown): boolean => error instanceof StepFailure && error.code === 'invalid_input'

/** The operations that a block calls for an example. */
async function calledFor(block: Block, example: Example): Promise<string[]> {
  const { api, run } = tried(block, example)
  await run()
  return [...new Set(api.calls.map(({ name }) => name))]
}

async function fails(block: Block, example: Example): Promise<void> {
  for (const name of await calledFor(block, example)) {
    const fault = { name, failure: failure('forbidden', 'Not you.'), isLasting: true }
    await assert.rejects(tried(block, example, {}, fault).run(), (error) => error === fault.failure)
  }
}

const triesAgain = (block: Block, example: Example): Promise<void> =>
  passesOver(block, example, { failure: new Failure({ code: 'overloaded' }), isLasting: false })

const outlivesTimeouts = (block: Block, example: Example): Promise<void> =>
  passesOver(block, example, { failure: new Failure({ code: 'unavailable' }), isLasting: false, isLate: true })

/** Tells the fault of each operation, and has done the same as without it when it is run again. */
async function passesOver(block: Block, example: Example, fault: Omit<StandInFault, 'name'>): Promise<void> {
  const { api: undisturbed, run: runUndisturbed } = tried(block, example)
  const output = await runUndisturbed()
  for (const name of await calledFor(block, example)) {
    const { api, run } = tried(block, example, {}, { ...fault, name })
    await assert.rejects(run(), (error) => error === fault.failure)
    assert.deepEqual(await run(), output)
    assert.equal(api.effects, undisturbed.effects)
  }
}

async function survives(block: Block, example: Example): Promise<void> {
  const { api, run } = tried(block, example)
  const output = await run()
  const { effects } = api
  assert.deepEqual(await run(), output)
  assert.equal(api.effects, effects)
}

async function rehearses(block: Block, example: Example): Promise<void> {
  const dry = { run: { id: 'run-1', workflowId: 'workflow-1', isDryRun: true } }
  const { api, run } = tried(block, example, dry)
  const output = await run()
  assert.deepEqual(output, example.rehearsal)
  assert.deepEqual(block.output.parse(JSON.parse(JSON.stringify(output))), output)
  assert.equal(api.effects, 0)
}

/** Longest that a block may go on after it was told to stop. */
const stopMs = 2000

async function stops(block: Block, example: Example): Promise<void> {
  const { run } = tried(block, example, { signal: AbortSignal.abort(new Error('the server stops')) })
  const late = AbortSignal.timeout(stopMs)
  const waited = new Promise<never>((_, reject) => {
    late.addEventListener('abort', () => reject(new Error(`it went on for ${stopMs} ms`)))
  })
  // It may be done already, or reject.
  await Promise.race([run().catch((error: unknown) => error), waited])
}
