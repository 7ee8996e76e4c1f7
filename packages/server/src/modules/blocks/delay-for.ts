import { z } from 'zod'
import { isoTime } from '../../kernel/clock.ts'
import { block } from '../plugins/index.ts'
import { duration, endOf } from './duration.ts'

/** The output of a block that waits for a time. */
export const waited = z.object({
  until: z.iso.datetime().meta({ description: 'When the run continued; in a test run, when it would continue.' }),
})

export const delayFor = block({
  id: 'general:delay:for',
  title: 'Wait for a while',
  description:
    'The run continues after minutes, hours, days or weeks: after days and weeks at the same time of ' +
    'day, in the time zone of the workspace. A test run continues immediately.',
  types: ['workflow', 'sequence'],
  input: duration,
  output: waited,
  isPure: true,
  async run(context, given) {
    const { now, run, resumed } = context
    if (resumed !== undefined) return { state: 'done', output: { until: isoTime(now) } }
    const until = await endOf(given, context)
    return run.isDryRun ? { state: 'done', output: { until: isoTime(until) } } : { state: 'wait', until }
  },
})
