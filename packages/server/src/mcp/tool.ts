import type { z } from 'zod'
import { suggestion, type contract } from '@kontor/contract'
import type { Call } from '../kernel/calls.ts'
import type { CallByName, InProcessCall } from '../kernel/invoke/in-process.ts'
import type { SchemaReader } from './schemas.ts'
import { Failure } from '../kernel/errors.ts'
import { faultText } from '../kernel/parse/fault-text.ts'
import { pointer } from '../lib/pointers.ts'

type Operations = typeof contract

type NamesIn<Name> = Name extends keyof Operations ? `${Name}.${keyof Operations[Name] & string}` : never

/** The name of an operation of the contract. */
type OperationName = NamesIn<keyof Operations>

/** Context of a tool: the operations of the contract, in the workspace and with the rights of the caller. */
export type ToolContext = {
  /** Calls an operation in the workspace; it counts against the rate limit as over REST. */
  readonly call: InProcessCall
  readonly callByName: CallByName
  readonly calls: readonly Call[]
  readonly schemas: SchemaReader
}

/** One tool of the MCP server. */
export type McpTool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  /** The operations whose effects it may have, from which its annotations follow. */
  readonly uses: readonly OperationName[] | 'any'
  /** Returns the text that the model reads. */
  readonly run: (context: ToolContext, given: Readonly<Record<string, unknown>>) => Promise<string>
}

type TypedTool<Input extends z.ZodObject> = Omit<McpTool, 'input' | 'run'> & {
  readonly input: Input
  readonly run: (context: ToolContext, input: z.output<Input>) => Promise<string>
}

/** Declares a tool; its input is parsed before it runs. */
export const tool = <Input extends z.ZodObject>({ input, run, ...declared }: TypedTool<Input>): McpTool => ({
  ...declared,
  input,
  run: (context, given) => run(context, readInput(input, given)),
})

/** Parses the arguments of a tool; every fault is reported, with its place. */
function readInput<Input extends z.ZodObject>(input: Input, given: Readonly<Record<string, unknown>>): z.output<Input> {
  const parsed = input.safeParse(given, { error: faultText })
  if (parsed.success) return parsed.data
  const names = Object.keys(input.shape)
  throw new Failure(
    parsed.error.issues.flatMap((issue) => {
      if (issue.code !== 'unrecognized_keys')
        return [{ code: 'invalid_parameter' as const, detail: issue.message, source: { pointer: pointer(issue.path) } }]
      return issue.keys.map((key) => ({
        code: 'invalid_parameter' as const,
        detail: `There is no argument "${key}".${issue.path.length === 0 ? suggestion(key, names) : ''}`,
        source: { pointer: pointer([...issue.path, key]) },
      }))
    }),
  )
}
