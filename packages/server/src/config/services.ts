import { z } from 'zod'
import { splitList, targetsSchema, urlSchema, withoutSlash } from './forms.ts'
import { section, setting } from './section.ts'

/** Settings of other programs that the server calls. */
export const serviceSettings = section(
  {
    aiUrl: setting(
      'AI_BASE_URL',
      z
        .url({ protocol: /^https?$/, error: 'must be an http or https URL, such as https://api.openai.com/v1' })
        .optional(),
      'language model of workflows and agents: an endpoint for chat completions; by default none',
      withoutSlash,
    ),
    apiKey: setting('AI_API_KEY', z.string().min(1).optional(), 'its key'),
    model: setting('AI_MODEL', z.string().min(1).optional(), 'model of workflows and agents that name none'),
    notetakerUrl: setting(
      'NOTETAKER_URL',
      urlSchema.optional(),
      'notetaker that receives the meetings to record; without it requests are only stored',
    ),
    secret: setting(
      'NOTETAKER_SECRET',
      z
        .string()
        .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and at least 24 bytes in base64')
        .optional(),
      'signs its requests (Standard Webhooks)',
    ),
    webhookAllowedHosts: setting(
      'WEBHOOK_ALLOWED_HOSTS',
      targetsSchema,
      'private targets that webhooks and workflows may call: host, host:port, 10.0.0.0/8',
      splitList,
    ),
  },
  ({ aiUrl, apiKey, model, notetakerUrl: url, secret, webhookAllowedHosts }, refuse) => {
    const ai = aiUrl === undefined ? undefined : { baseUrl: aiUrl, apiKey, model }
    if (url === undefined) return { webhookAllowedHosts, ai, notetaker: undefined }
    if (secret === undefined) return refuse('NOTETAKER_URL requires NOTETAKER_SECRET, which signs its requests.')
    return { webhookAllowedHosts, ai, notetaker: { url, secret } }
  },
)
