import { z } from 'zod'
import { isoTime } from '../../kernel/clock.ts'
import { isRecord, isString } from '../../lib/guards.ts'
import { lookUp } from '../templates/index.ts'
import { block, triggers, type BlockContext } from '../plugins/index.ts'
import { namedRecord } from './inputs.ts'
import { idOf } from './named-record.ts'
import { duration, endOf, waitMsMax } from './duration.ts'

/** Triggers that stand for an event, by their ids. */
const awaited = new Map(triggers.filter(({ events }) => events.length > 0).map((trigger) => [trigger.id, trigger]))

const input = z
  .strictObject({
    plugin_id: z
      .enum([...awaited.keys()])
      .meta({ description: 'The trigger that describes the event.', example: 'on:svc:update:record' }),
    input: z
      .record(z.string(), z.unknown())
      .default({})
      .meta({
        description: 'The input of a node with that trigger.',
        example: { object: 'deal', fields: ['stage'] },
      }),
    record_id: namedRecord.nullable().optional().meta({
      description: 'The record of the event; by default that of the run, null for any.',
    }),
    timeout: duration.optional().meta({ description: 'Maximum wait; 366 days by default, and at most.' }),
  })
  .superRefine(({ plugin_id, input: given }, context) => {
    const { issues = [] } = awaited.get(plugin_id)?.input.safeParse(given).error ?? {}
    for (const { path, message } of issues) context.addIssue({ code: 'custom', path: ['input', ...path], message })
  })

const output = z.object({
  happened: z.boolean().meta({ description: 'True if the event happened, false if the time was over first.' }),
  event: z.unknown().meta({
    description: 'The event, like `state.event` of that trigger; null if the time was over first.',
  }),
  until: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Only in a test run, which does not wait: the end of the maximum wait.' }),
})

/** The object whose events are awaited; by default that of the run. */
const objectOf = ({ object }: Readonly<Record<string, unknown>>, { record }: BlockContext): string =>
  isString(object) ? object : (record?.object ?? '')

export const waitEvent = block({
  id: 'general:wait:event',
  title: 'Wait for an event',
  description:
    'The run continues when an event happens to a record, or after a maximum time. A test run continues immediately.',
  types: ['workflow'],
  input,
  output,
  isPure: true,
  awaits: ({ plugin_id: plugin, input: asked }) =>
    isString(plugin) ? { plugin, input: isRecord(asked) ? asked : {} } : undefined,
  async run(context, { plugin_id: plugin, input: asked, record_id, timeout }) {
    const { now, run, scope, resumed } = context
    if (resumed !== undefined) {
      const { event = null } = resumed
      return { state: 'done', output: { happened: event !== null, event } }
    }
    const until = timeout === undefined ? now + waitMsMax : await endOf(timeout, context)
    if (run.isDryRun) return { state: 'done', output: { happened: false, event: null, until: isoTime(until) } }
    const own = lookUp(scope, 'trigger.state.event.object._id')
    const named = record_id === undefined ? (isString(own) ? own : null) : record_id
    const recordId = named === null ? null : await idOf(context, objectOf(asked, context), named)
    return { state: 'wait', until, event: { plugin, input: asked, recordId } }
  },
})
