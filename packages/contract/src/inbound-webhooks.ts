import { z } from 'zod'
import { domain } from './endpoint.ts'
import { empty } from './shared.ts'

/** Requests of one automation, at once and in a minute. */
export const arrivalsPerMinute = 600

/** The time in which a repeated request is recognised by its id. */
export const arrivalKeptHours = 24

/** Response to the check of an address by Slack; other senders get an empty object. */
const taken = z.strictObject({
  challenge: z
    .string()
    .optional()
    .meta({ description: 'For the check by Slack: the challenge that it sent and expects in the response.' }),
})

/** Spec §4, §5.5: what other programs send to an automation. The address is the credential. */
export const inboundWebhooks = domain({
  workflow: {
    method: 'POST',
    path: '/webhooks/workflows/{workspace}/{workflow_id}',
    caller: 'address',
    scope: null,
    summary: 'Send to a workflow',
    description:
      'Starts a run of a workflow whose trigger is `on:svc:automation-webhook`, with any JSON or a form ' +
      'as `{{trigger.state.event.data.body.…}}`, with the headers of the request except credentials, and ' +
      'its query parameters as `query`. Without a body it is `{}`. Fields of a form are texts, and lists ' +
      'if they are repeated. A form that is really JSON, as `curl -d` sends it, is read as JSON. The ' +
      'response is sent as soon as the request is stored; the workflow runs afterwards. A request that ' +
      `is repeated with the same \`webhook-id\` or \`Idempotency-Key\` within ${arrivalKeptHours} hours runs ` +
      `once. Up to ${arrivalsPerMinute} requests are accepted at the same time, and as many in a minute. ` +
      'An unknown address responds like that of a disabled workflow, and like one that was replaced. If ' +
      'the trigger has a `secret`, the request must contain it as `X-Webhook-Secret`; otherwise it is ' +
      'rejected with 403.',
    takesQuery: true,
    query: z.strictObject({
      validationToken: z
        .string()
        .min(1)
        .max(4096)
        .optional()
        .meta({
          description:
            'For the check by Microsoft Graph: the token that is returned as text, if the trigger has ' +
            '`handshake: graph`.',
        }),
    }),
    body: z.unknown().optional(),
    takesForms: true,
    response: taken,
    alternativeStatus: {
      status: 200,
      description: 'To a check by Microsoft Graph: its `validationToken`, as text.',
      response: z.string(),
      media: 'text/plain',
    },
    errors: ['not_found', 'forbidden', 'rate_limited'],
    examples: { body: { name: 'Grace Hopper', amount: 5000 } },
  },
  check: {
    method: 'GET',
    path: '/webhooks/workflows/{workspace}/{workflow_id}',
    caller: 'address',
    scope: null,
    summary: 'Check the address of a workflow',
    description:
      'Responds to the check that a sender makes before it sends to an address, without a run: of Meta, ' +
      'if the trigger has `handshake: meta`, and of Microsoft Graph, if it has `handshake: graph`. If ' +
      'the trigger has a `secret`, Meta sends it as its verify token. All other workflows accept only ' +
      'POST and return 405.',
    takesQuery: true,
    query: z.strictObject({
      'hub.mode': z.string().max(100).optional().meta({ description: 'Of Meta: `subscribe`.' }),
      'hub.verify_token': z
        .string()
        .max(4096)
        .optional()
        .meta({ description: 'Of Meta: the `secret` of the trigger.' }),
      'hub.challenge': z.string().max(4096).optional().meta({ description: 'Of Meta: what is sent back.' }),
      validationToken: z.string().max(4096).optional().meta({ description: 'Of Microsoft Graph: what is sent back.' }),
    }),
    media: 'text/plain',
    response: z.string().meta({ description: 'The text that the sender expects.', example: '1158201444' }),
    errors: ['not_found', 'forbidden', 'method_not_allowed', 'rate_limited'],
  },
  agent: {
    method: 'POST',
    path: '/webhooks/agents/{workspace}/{agent_id}',
    caller: 'address',
    scope: null,
    summary: 'Send to an agent',
    description:
      'Starts a run of an agent with any JSON or a form: as the first argument of its code, `{body, ' +
      'headers, query}`, or as the input of its language model. Responses, repeats and limits are those ' +
      "of a workflow's address.",
    takesQuery: true,
    body: z.unknown().optional(),
    takesForms: true,
    response: empty,
    errors: ['not_found', 'rate_limited'],
    examples: { body: { question: 'What should we do next for Grace Hopper?' } },
  },
})
