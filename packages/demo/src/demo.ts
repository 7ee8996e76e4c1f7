import { makeExamples, makeObjects, makeRecent } from './examples.ts'
import { playHistory } from './history.ts'
import { readSample } from './sample.ts'
import type { Stage } from './stage.ts'
import { makeWebhook } from './webhooks.ts'

export { historyDays, receiverHost, type Reader, type Stage, type StageClock, type StagePerson } from './stage.ts'

/** The examples come after the history, and are slightly older than now. */
const examplesDaysAgo = 2

/** Fills an empty workspace with the sample data, which ends now. */
export async function makeDemo(stage: Stage): Promise<void> {
  await makeObjects(stage)
  await playHistory(stage, await readSample())
  stage.clock.goTo(examplesDaysAgo)
  await makeExamples(stage)
  await makeWebhook(stage)
  stage.clock.goTo(0)
  await makeRecent(stage)
}
