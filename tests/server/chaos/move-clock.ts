/** Loaded into a server or worker before its own code: at each SIGUSR2 its clock moves to where CLOCK_FILE says. */
import { readFileSync } from 'node:fs'

const { now } = Date
let aheadMs = 0

Date.now = () => now() + aheadMs
process.on('SIGUSR2', () => (aheadMs = Number(readFileSync(String(process.env['CLOCK_FILE']), 'utf8'))))
