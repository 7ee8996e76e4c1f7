import { z } from 'zod'
import { parsedJson } from '../../lib/guards.ts'
import { askModel, textOf, type AiSettings } from './ask.ts'
import { StepFailure } from '../plugins/index.ts'

/** A request as the endpoint takes it. */
export type ChatRequest = {
  readonly model: string
  readonly messages: readonly { readonly role: 'system' | 'user'; readonly content: string }[]
  readonly max_tokens?: number
  readonly temperature?: number
  readonly response_format?: unknown
}

const tokens = z.int().nullish()
const completion = z.looseObject({
  model: z.string().optional(),
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({ content: z.string().nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.looseObject({ prompt_tokens: tokens, completion_tokens: tokens }).nullish(),
})

export type ChatAnswer = z.infer<typeof completion>

/** Asks the model; fails the step where it does not answer. */
export async function chat(settings: AiSettings, request: ChatRequest, signal: AbortSignal, now: number) {
  const text = await askModel(settings, request, { signal, now }, textOf)
  const parsed = completion.safeParse(parsedJson(text))
  if (parsed.success) return parsed.data
  throw new StepFailure('ai_invalid_answer', 'The endpoint of the language model sent an unexpected response.', {
    isRetryable: true,
  })
}
