import { z } from 'zod'
import type { ChatMessage } from '../../language-models/index.ts'

const toolCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() })

/** A response of the language model. */
const modelTurn = z.object({
  turn: z.literal('model'),
  text: z.string(),
  tool_calls: z.array(toolCall),
  finish_reason: z.string(),
  usage: z.object({ input: z.int(), output: z.int() }),
})

/** The response of a call that it asked for, as far as it is shown. */
const toolTurn = z.object({
  turn: z.literal('tool'),
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  is_error: z.boolean(),
  result: z.string(),
})

/** A step of a run with a language model, as it is stored. */
const turn = z.discriminatedUnion('turn', [modelTurn, toolTurn])

export type Turn = z.infer<typeof turn>
export type ModelTurn = z.infer<typeof modelTurn>
export type ToolTurn = z.infer<typeof toolTurn>

/** The turns so far, as the steps have left them. */
export const turnsOf = (earlier: readonly unknown[]): Turn[] => z.array(turn).parse(earlier)

/** The call that is to be made next: one that the last answer asked for, and that no turn has answered. */
export function pendingCall(turns: readonly Turn[]): z.infer<typeof toolCall> | undefined {
  const at = turns.findLastIndex(({ turn: kind }) => kind === 'model')
  const last = turns[at]
  return last?.turn === 'model' ? last.tool_calls[turns.length - at - 1] : undefined
}

/** The turns as the model is told of them. */
export const messagesOf = (turns: readonly Turn[]): ChatMessage[] =>
  turns.map((one) =>
    one.turn === 'tool'
      ? { role: 'tool', tool_call_id: one.id, content: one.result }
      : {
          role: 'assistant',
          content: one.text === '' ? null : one.text,
          ...(one.tool_calls.length > 0 && {
            tool_calls: one.tool_calls.map(({ id, name, arguments: given }) => ({
              id,
              type: 'function' as const,
              function: { name, arguments: given },
            })),
          }),
        },
  )

export const tokensOf = (turns: readonly Turn[]): number =>
  turns.reduce((sum, one) => (one.turn === 'model' ? sum + one.usage.input + one.usage.output : sum), 0)

export const callsOf = (turns: readonly Turn[]): number => turns.filter((one) => one.turn === 'tool').length
