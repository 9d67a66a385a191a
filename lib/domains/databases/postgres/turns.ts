export { ifIdle, inTurn } from '../cluster/turns';
