import { z } from 'zod'
import { domain } from './endpoint.ts'
import { empty } from './shared.ts'

/** Requests of one automation, at once and in a minute. */
export const arrivalsPerMinute = 600

/** How long a request that its sender repeats under its id is known. */
export const arrivalKeptHours = 24

/** What Slack is answered when it checks an address; anyone else gets an empty object. */
const taken = z.strictObject({
  challenge: z.string().optional().meta({ description: 'Of a check by Slack: what it has sent, and wants back.' }),
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
      'Begins a run of a workflow whose trigger is `on:svc:automation-webhook`: any JSON or a form, as ' +
      '`{{trigger.state.event.data.body.…}}`, with the headers of the request, but for those that carry ' +
      'credentials, and its query parameters as `query`. Without a body it is `{}`; fields of a form are texts, and ' +
      'lists where they are repeated. A form that is really JSON, as `curl -d` sends it, is read as JSON. It is ' +
      'answered as soon as it is stored; the workflow runs afterwards. A request that is ' +
      `repeated under its \`webhook-id\` or \`Idempotency-Key\` within ${arrivalKeptHours} hours runs once. ` +
      `Up to ${arrivalsPerMinute} requests at once, and as many in a minute. An address that does not exist is ` +
      'answered as one whose workflow is disabled, and as one that another has replaced. Where the trigger has a ' +
      '`secret`, a request presents it as `X-Webhook-Secret`, or is answered with 403.',
    takesQuery: true,
    query: z.strictObject({
      validationToken: z
        .string()
        .min(1)
        .max(4096)
        .optional()
        .meta({
          description:
            'What Microsoft Graph checks an address with, and gets back as text, where the trigger has ' +
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
      'Answers the check that a sender makes before it sends to an address, without a run: of Meta, where the ' +
      'trigger has `handshake: meta`, and of Microsoft Graph, where it has `handshake: graph`. ' +
      'Where the trigger has a ' +
      '`secret`, Meta presents it as its verify token. Any other workflow accepts POST only, and answers 405.',
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
    response: z.string().meta({ description: 'What the sender wants back.', example: '1158201444' }),
    errors: ['not_found', 'forbidden', 'method_not_allowed', 'rate_limited'],
  },
  agent: {
    method: 'POST',
    path: '/webhooks/agents/{workspace}/{agent_id}',
    caller: 'address',
    scope: null,
    summary: 'Send to an agent',
    description:
      'Begins a run of an agent with any JSON or a form: as the first argument of its code, ' +
      '`{body, headers, query}`, or as ' +
      'what its language model is given. It is answered, repeated and limited as the address of a workflow is.',
    takesQuery: true,
    body: z.unknown().optional(),
    takesForms: true,
    response: empty,
    errors: ['not_found', 'rate_limited'],
    examples: { body: { question: 'What is next for Grace Hopper?' } },
  },
})
