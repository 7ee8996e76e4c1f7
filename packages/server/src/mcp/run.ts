import type { CallToolResult } from '@modelcontextprotocol/server'
import { isApp } from '../kernel/actor.ts'
import { Failure } from '../kernel/errors.ts'
import type { Served } from '../kernel/invoke/in-process.ts'
import { toFailure } from '../kernel/invoke/database-failures.ts'
import { tokensOf } from '../markdown/index.ts'
import { toolContext, type McpCaller } from './context.ts'
import { failureText } from './failures.ts'
import type { McpTool } from './tool.ts'
import type { ToolOutcome, ToolUsage } from './usage.ts'

/** Services for calls of tools: the operations, the counts, and the report of unexpected errors. */
export type ToolServices = Served & {
  readonly usage: ToolUsage
  readonly onError: (error: unknown, requestId?: string) => void
}

/** Runs a tool. What is wrong with a call is its result, so that the model can correct it. */
export async function runTool(
  services: ToolServices,
  caller: McpCaller,
  tool: McpTool,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const result = (outcome: ToolOutcome, text: string): CallToolResult => {
    services.usage.count(tool.name, outcome, tokensOf(text))
    return { content: [{ type: 'text', text }], ...(outcome === 'error' && { isError: true }) }
  }
  try {
    return result('ok', await tool.run(toolContext(services, caller), given))
  } catch (error) {
    const failed = toFailure(error)
    if (failed instanceof Failure) {
      if (failed.code === 'insufficient_scope' && isApp(caller.actor)) caller.lacksScope(failed)
      return result('error', failureText(failed))
    }
    const { requestId } = caller.headers
    services.onError(error, requestId)
    return result('error', `The server failed unexpectedly. Report the request id ${requestId}.`)
  }
}
