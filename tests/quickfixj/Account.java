import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What happened to a session in all lives of its program: a file of lines, each written with one call, so that it is
 * whole however a life ends. dojima-quickfixj-client writes the same:
 *
 *   sent 17                order O17 was given to the session
 *   got 17 00 ok           O17 came; the digits: PossDupFlag, PossResend; "altered": it is not what was sent
 *   logon
 *   logout received TEXT   a Logout with its Text(58), received or sent
 *   reject received TEXT   a Reject or BusinessMessageReject
 */
final class Account {
  private final OutputStream file;
  private final Map<Long, Integer> received = new HashMap<>();
  private final List<String> logouts = new ArrayList<>(), rejects = new ArrayList<>();
  private long sent, logons, resent, doubled, flagged, disordered, altered, largest = -1;

  Account(Path path) throws IOException {
    if (Files.exists(path)) {
      for (String line : Files.readAllLines(path)) count(line);
    }
    file = new FileOutputStream(path.toFile(), true);
  }

  synchronized void note(String line) {
    try {
      file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    } catch (IOException trouble) {
      throw new IllegalStateException("the account cannot be written", trouble);
    }
    count(line);
    notifyAll();
  }

  private void count(String line) {
    String[] words = line.split(" ", 3);
    switch (words[0]) {
      case "sent" -> sent = Math.max(sent, Long.parseLong(words[1]) + 1);
      case "got" -> {
        if (words[2].startsWith("1")) ++resent;
        long number = Long.parseLong(words[1]);
        if (received.merge(number, 1, Integer::sum) > 1) {
          if (words[2].startsWith("00")) ++doubled;
          else ++flagged;
        } else if (number < largest) {
          ++disordered;
        }
        largest = Math.max(largest, number);
        if (words[2].endsWith("altered")) ++altered;
      }
      case "logon" -> ++logons;
      case "logout" -> logouts.add(line.substring(7));
      case "reject" -> rejects.add(line.substring(7));
      default -> throw new IllegalStateException("no line of an account: " + line);
    }
  }

  /** The number of the next order. */
  synchronized long sent() {
    return sent;
  }
  synchronized long logons() {
    return logons;
  }
  /** Waits, at most 20 ms, until something has happened or fewer than {@code most} orders are out. */
  synchronized boolean isBelow(long most) throws InterruptedException {
    if (sent - received.size() >= most) wait(20);
    return sent - received.size() < most;
  }

  synchronized String json(String answer, int nextOut, int nextIn) {
    return String.format(
        "{\"answer\": %s, \"sent\": %d, \"received\": %d, \"resent\": %d, \"doubled\": %d, \"flagged\": %d, "
            + "\"disordered\": %d, \"altered\": %d, \"logons\": %d, \"next_out\": %d, \"next_in\": %d, \"logouts\": [%s], \"rejects\": [%s]}",
        quoted(answer), sent, received.size(), resent, doubled, flagged, disordered, altered, logons, nextOut, nextIn,
        list(logouts), list(rejects));
  }

  private static String list(List<String> texts) {
    return String.join(", ", texts.stream().map(Account::quoted).toList());
  }
  private static String quoted(String text) {
    StringBuilder all = new StringBuilder("\"");
    for (char each : text.toCharArray()) {
      if (each == '"' || each == '\\') all.append('\\');
      all.append(each < ' ' ? ' ' : each);
    }
    return all.append('"').toString();
  }
}
