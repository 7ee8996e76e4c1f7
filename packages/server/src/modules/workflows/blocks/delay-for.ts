import { z } from 'zod'
import { isoTime } from '../../../kernel/clock.ts'
import { block } from '../plugins/plugin.ts'
import { duration, durationMs } from './duration.ts'

/** The output of a block that waits for a time. */
export const waited = z.object({
  until: z.iso.datetime().meta({ description: 'When the run went on; in a test run, when it would go on.' }),
})

export const delayFor = block({
  id: 'general:delay:for',
  title: 'Wait for a while',
  description: 'The run goes on after minutes, hours, days or weeks. A test run goes on at once.',
  types: ['workflow', 'sequence'],
  input: duration,
  output: waited,
  isPure: true,
  async run({ now, run, resumed }, given) {
    const until = now + durationMs(given)
    if (resumed !== undefined) return { state: 'done', output: { until: isoTime(now) } }
    return run.isDryRun ? { state: 'done', output: { until: isoTime(until) } } : { state: 'wait', until }
  },
})
