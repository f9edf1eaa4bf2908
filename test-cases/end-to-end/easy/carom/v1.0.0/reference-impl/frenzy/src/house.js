/** The computer's paddle: looks now and then, aims roughly, does not understand spin. */
import { BALL, FELT, HOUSE, SIDES } from "./table.js";

export class House {
  constructor(chance) {
    this.chance = chance;
    this.target = FELT.middle;
    this.ticksToLook = 0;
  }

  /** The velocity that the right paddle should have in this tick. */
  decide(match) {
    const { ball } = match;
    const coming = match.restTicks === 0 && ball.vx > 0 && ball.x < SIDES.right.line;
    if (!coming) {
      this.target = FELT.middle;
      this.ticksToLook = 0;
    } else if (this.ticksToLook === 0) {
      this.target = meetingPoint(ball) + this.chance.between(-HOUSE.error, HOUSE.error) * match.speed;
      this.ticksToLook = HOUSE.lookTicks;
    }
    if (this.ticksToLook > 0) this.ticksToLook -= 1;
    const distance = this.target - match.right.y;
    if (Math.abs(distance) <= HOUSE.slack) return 0;
    return Math.sign(distance) * HOUSE.speed;
  }
}

/** Where a ball without spin would cross the right contact line, cushions included. */
export function meetingPoint(ball) {
  const span = BALL.bottom - BALL.top;
  const flown = ball.y + (ball.vy * (SIDES.right.line - ball.x)) / ball.vx - BALL.top;
  const folded = ((flown % (2 * span)) + 2 * span) % (2 * span);
  return BALL.top + (folded > span ? 2 * span - folded : folded);
}
