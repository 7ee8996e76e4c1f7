import { z } from 'zod'
import { chat, checkAnswer, type AiSettings, type ChatAnswer, type ChatRequest } from '../language-models/index.ts'
import type { Pool } from '../../pool/index.ts'
import { block, StepFailure, type Block } from '../plugins/index.ts'

type JsonSchema = Readonly<Record<string, unknown>>

/** Models accept no larger schemas, and reading one takes 0.3 ms for each thousand characters. */
const schemaCharactersMax = 100_000

const text = z.string().min(1).max(200_000)

const input = z.strictObject({
  prompt: text.meta({ description: 'The prompt.', example: 'Sum up: {{trigger.state.event.object.data.notes}}' }),
  system: text.optional().meta({ description: 'Instructions for the model.' }),
  model: z.string().min(1).max(200).optional().meta({ description: 'The model; by default that of the installation.' }),
  max_tokens: z.int().min(1).max(100_000).optional(),
  temperature: z.number().min(0).max(2).optional(),
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .refine((schema) => schema === undefined || JSON.stringify(schema).length <= schemaCharactersMax, {
      error: `Must have at most ${schemaCharactersMax.toLocaleString('en')} characters of JSON.`,
      abort: true,
    })
    .refine((schema) => schema === undefined || isJsonSchema(schema), 'must be a JSON Schema')
    .meta({ description: 'JSON Schema of the response, which is then in `json` of the output.' }),
})

type PromptInput = z.infer<typeof input>

/**
 * Returns whether values can be checked against it. Nothing is matched here: values are checked in a process of the
 * pool.
 */
function isJsonSchema(schema: JsonSchema): boolean {
  try {
    z.fromJSONSchema(schema)
    return true
  } catch {
    return false
  }
}

const output = z.object({
  text: z.string().nullable().meta({ description: 'The response of the model; null in a test run.' }),
  json: z.unknown().meta({ description: 'The response as a value if there is an `output_schema`; otherwise null.' }),
  model: z.string().nullable(),
  finish_reason: z.string().nullable().meta({ description: '`length` if the response was cut at `max_tokens`.' }),
  usage: z.object({ input_tokens: z.int(), output_tokens: z.int() }).nullable(),
  dry_run: z.literal(true).optional(),
  would: z.unknown().optional().meta({ description: 'In a test run: the request that would be sent.' }),
})

/** Without settings, the server has no language model to ask. */
export const aiGenerate = (settings: AiSettings | undefined, pool: Pool): Block =>
  block({
    id: 'ai:generate',
    title: 'Use a language model',
    description: 'Generates a text, or a value that fits a JSON Schema, with the language model of the installation.',
    types: ['workflow'],
    isAvailable: settings !== undefined,
    input,
    output,
    async run(context, asked) {
      const { run, signal, now } = context
      if (settings === undefined) throw new StepFailure('ai_not_configured', 'The server has no AI_BASE_URL.')
      const request = requestOf(settings, asked)
      if (run.isDryRun) {
        const nothing = { text: null, json: null, model: null, finish_reason: null, usage: null }
        return { state: 'done', output: { ...nothing, dry_run: true as const, would: request } }
      }
      const answer = await chat(settings, request, signal, now)
      const said = answer.choices[0]?.message.content ?? ''
      const { output_schema: schema } = asked
      const json = schema === undefined ? null : await checkAnswer(pool, context, { said, schema })
      return { state: 'done', output: outputOf(answer, said, json) }
    },
  })

function requestOf(settings: AiSettings, asked: PromptInput): ChatRequest {
  const model = asked.model ?? settings.model
  if (model === undefined)
    throw new StepFailure('ai_no_model', 'The input names no model, and the server has no AI_MODEL.')
  const { prompt, system, max_tokens, temperature, output_schema: schema } = asked
  return {
    model,
    messages: [
      ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
      { role: 'user', content: prompt },
    ],
    ...(max_tokens !== undefined && { max_tokens }),
    ...(temperature !== undefined && { temperature }),
    ...(schema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema } },
    }),
  }
}

function outputOf({ choices: [first], model, usage }: ChatAnswer, said: string, json: unknown): z.infer<typeof output> {
  return {
    text: said,
    json,
    model: model ?? null,
    finish_reason: first?.finish_reason ?? null,
    usage:
      usage == null ? null : { input_tokens: usage.prompt_tokens ?? 0, output_tokens: usage.completion_tokens ?? 0 },
  }
}
