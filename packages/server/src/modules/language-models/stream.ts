import { createParser } from 'eventsource-parser'
import { z } from 'zod'
import { parsedJson } from '../../lib/guards.ts'
import { storableText } from '../../lib/texts.ts'
import { StepFailure } from '../plugins/index.ts'
import { askModel, type AiSettings, type Asking } from './ask.ts'

/** A call that the model requests; its arguments are as it wrote them, JSON or not. */
export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string }

/** The input of a tool, as JSON Schema. */
export type ToolDefinition = {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

type AskedCall = { readonly id: string; readonly type: 'function'; readonly function: Omit<ToolCall, 'id'> }

export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly AskedCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export type ToolRequest = {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly tools?: readonly ToolDefinition[]
  readonly temperature?: number
  readonly max_tokens?: number
}

export type StreamedAnswer = {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string
  readonly usage: { readonly input: number; readonly output: number } | undefined
}

/** Calls that one answer may ask for. */
const callsMax = 128

/** Longest that one event of the stream may be. */
const eventCharactersMax = 1 << 20

const tokens = z.int().min(0).nullish()
const part = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.int().min(0).nullish(),
                  id: z.string().nullish(),
                  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.looseObject({ prompt_tokens: tokens, completion_tokens: tokens }).nullish(),
})

const broken = (detail: string) => new StepFailure('ai_invalid_answer', detail, { isRetryable: true })

/** Puts the parts of a streamed answer together. */
class Answer {
  #text = ''
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>()
  #finishReason: string | undefined
  #usage: StreamedAnswer['usage']
  isOver = false

  take(data: string): void {
    if (data.trim() === '[DONE]') {
      this.isOver = true
      return
    }
    const parsed = part.safeParse(parsedJson(data))
    if (!parsed.success) throw broken('The endpoint of the language model sent an unexpected event in its stream.')
    const { choices, usage } = parsed.data
    const [choice] = choices ?? []
    this.#text += choice?.delta?.content ?? ''
    for (const [place, { index, id, function: said }] of (choice?.delta?.tool_calls ?? []).entries()) {
      const call = this.#call(index ?? place)
      call.id = id ?? call.id
      call.name += said?.name ?? ''
      call.arguments += said?.arguments ?? ''
    }
    this.#finishReason = choice?.finish_reason ?? this.#finishReason
    const { prompt_tokens: input, completion_tokens: output } = usage ?? {}
    // No request is of no tokens: an endpoint that says so counts none.
    if (input != null && input > 0 && output != null) this.#usage = { input, output }
  }

  #call(index: number): { id: string; name: string; arguments: string } {
    const call = this.#calls.get(index) ?? { id: '', name: '', arguments: '' }
    if (this.#calls.size >= callsMax && !this.#calls.has(index))
      throw broken(`The language model requested more than ${callsMax} calls at the same time.`)
    this.#calls.set(index, call)
    return call
  }

  /** The whole answer; one that breaks off did not happen. */
  end(): StreamedAnswer {
    if (this.#finishReason === undefined) throw broken('The response of the language model was interrupted.')
    return {
      text: storableText(this.#text),
      toolCalls: [...this.#calls.values()].map(({ id, name, arguments: given }, index) => ({
        id: storableText(id) || `call_${index}`,
        name: storableText(name),
        arguments: storableText(given),
      })),
      finishReason: this.#finishReason,
      usage: this.#usage,
    }
  }
}

/** Asks the model, which may answer with calls of tools; the answer is read as it comes. */
export const chatWithTools = (settings: AiSettings, request: ToolRequest, asking: Asking): Promise<StreamedAnswer> =>
  askModel(settings, { ...request, stream: true, stream_options: { include_usage: true } }, asking, async (chunks) => {
    const answer = new Answer()
    const parser = createParser({ onEvent: ({ data }) => answer.take(data), maxBufferSize: eventCharactersMax })
    for await (const chunk of chunks) {
      parser.feed(chunk)
      if (answer.isOver) break
    }
    return answer.end()
  })
