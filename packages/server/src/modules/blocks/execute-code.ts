import { z } from 'zod'
import { derivedId } from '../../kernel/ids.ts'
import { memberOf } from '../../lib/guards.ts'
import { ClientCalls, type RequestSender, type CodeRunner, type Program } from '../sandbox/index.ts'
import { block, StepFailure, type Block, type BlockContext, type BlockOutcome } from '../plugins/index.ts'

export type CodeServices = RequestSender & { readonly code: Pick<CodeRunner, 'run'> }

/** Characters of code that a node may hold. */
const codeMax = 100_000

const example = 'export async function handler(input, { client, _, workflowContext }) {\n  return { total: 1 }\n}'

export const executeCode = (services: CodeServices): Block =>
  block({
    id: 'code:execute',
    title: 'Run code',
    description:
      'Runs JavaScript or TypeScript: a module that exports `handler(input, {client, _, ' +
      'workflowContext})`. The output is its return value. It has a client of the API that acts as the ' +
      'user of the run, `fetch`, lodash as `_`, and a console, whose lines are stored with the step; 64 ' +
      'MiB of memory, 10 s of computing, 60 s in total. Its clock does not advance, and its random ' +
      'numbers are the same in each attempt. Variables are filled into `input`, not into `code`.',
    types: ['workflow'],
    input: z.strictObject({
      code: z.string().min(1).max(codeMax).meta({ example }),
      input: z.unknown().optional().meta({ description: 'The first argument of `handler`.' }),
    }),
    verbatim: ['code'],
    readsAll: true,
    output: z.unknown().meta({ description: 'The return value of `handler`, as JSON.' }),
    run: (context, { code, input }) => runProgram(services, context, { code, input }),
  })

/** A program, with what its handler is given. */
type CodeInput = {
  readonly code: string
  readonly input: unknown
  /** Calls that it may make, if fewer than any program may. */
  readonly callsMax?: number
  /** Time that it may take, if less than any program may. */
  readonly wallMsMax?: number
}

/** Runs a program as a step. */
export async function runProgram(
  { code: runner, ...sender }: CodeServices,
  context: BlockContext,
  { code, input, callsMax, wallMsMax }: CodeInput,
): Promise<BlockOutcome<unknown>> {
  const calls = new ClientCalls(context, sender, callsMax)
  const program = { code, ...programOf(context, input) }
  const ended = await runner.run(context.workspace.id, program, calls, {
    signal: context.signal,
    wallMsMax,
  })
  // A program that catches the refusal has used up its budget all the same.
  if (calls.exceeded !== undefined) throw calls.exceeded
  if ('output' in ended) {
    const output: unknown = JSON.parse(ended.output)
    return { state: 'done', output }
  }
  // The error of a call shows better than that of the program whether a retry may succeed.
  const failure = ended.callId === undefined ? undefined : calls.failures.get(ended.callId)
  throw failure ?? new StepFailure(ended.code, ended.message)
}

/** Returns the input of a program, with facts about its run. */
function programOf({ scope, now, idempotencyKey }: BlockContext, input: unknown): Omit<Program, 'code'> {
  const { trigger, ...blocks } = scope
  const results = Object.entries(blocks).map(([key, state]) => [key, jsonOf(outputOf(state))] as const)
  return {
    input: jsonOf(input),
    trigger: jsonOf(memberOf(trigger, 'state')),
    results: Object.fromEntries(results),
    now,
    seed: Number.parseInt(derivedId('seed', idempotencyKey).slice(0, 8), 16),
  }
}

const outputOf = (state: unknown): unknown => memberOf(memberOf(state, 'state'), 'output')

const jsonOf = (value: unknown): string => JSON.stringify(value ?? null)
