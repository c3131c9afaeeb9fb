import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.TreeMap;
import quickfix.Application;
import quickfix.DefaultMessageFactory;
import quickfix.FileLogFactory;
import quickfix.Group;
import quickfix.MemoryStoreFactory;
import quickfix.Message;
import quickfix.Session;
import quickfix.SessionID;
import quickfix.SessionSettings;
import quickfix.SocketInitiator;
import quickfix.field.MsgType;
import quickfix.field.NoTradingSessions;
import quickfix.field.TradingSessionID;
import quickfix.field.TransactTime;

/**
 * A client made of QuickFIX/J for tests/interop/trading_day_test.cpp. A line "D 11=X|54=1|..." on standard input is a
 * message to send, TransactTime is added; standard output has a line "logon" and one for each application message or
 * Reject that comes, its fields separated by '|'. Ends with its input.
 *
 *   java QuickFixJTrader begin=FIX.4.4 sender=FIX44 target=DOJIMA port=9878 directory=DIR [Setting=VALUE...]
 */
public final class QuickFixJTrader implements Application {
  private final Map<String, String> options = new TreeMap<>();
  private final SessionID id;

  private QuickFixJTrader(String[] words) {
    for (String word : words) {
      String[] parts = word.split("=", 2);
      options.put(parts[0], parts[1]);
    }
    id = new SessionID(options.get("begin"), options.get("sender"), options.get("target"));
  }

  private SessionSettings settings() {
    Map<String, String> all = new TreeMap<>();
    all.put("ConnectionType", "initiator");
    all.put("SocketConnectHost", "127.0.0.1");
    all.put("SocketConnectPort", options.get("port"));
    all.put("ReconnectInterval", "1");
    all.put("HeartBtInt", "10");
    all.put("NonStopSession", "Y");
    all.put("UseDataDictionary", "Y");
    all.put("FileLogPath", options.get("directory"));
    options.forEach((name, value) -> {
      if (Character.isUpperCase(name.charAt(0))) all.put(name, value);
    });
    SessionSettings settings = new SessionSettings();
    all.forEach((name, value) -> settings.setString(id, name, value));
    return settings;
  }

  private static synchronized void say(String line) {
    System.out.println(line);
    System.out.flush();
  }

  @Override public void onCreate(SessionID session) {}
  @Override public void onLogout(SessionID session) {}
  @Override public void toAdmin(Message message, SessionID session) {}
  @Override public void toApp(Message message, SessionID session) {}
  @Override public void onLogon(SessionID session) {
    say("logon");
  }
  @Override public void fromAdmin(Message message, SessionID session) {
    if (message.toString().contains("\u000135=3\u0001")) fromApp(message, session);
  }
  @Override public void fromApp(Message message, SessionID session) {
    say(message.toString().replace('\u0001', '|'));
  }

  private void send(String line) throws Exception {
    String[] parts = line.split(" ", 2);
    Message message = new Message();
    message.getHeader().setString(MsgType.FIELD, parts[0]);
    for (String field : parts[1].split("\\|")) {
      String[] pair = field.split("=", 2);
      int tag = Integer.parseInt(pair[0]);
      if (tag == NoTradingSessions.FIELD) continue;
      if (tag == TradingSessionID.FIELD) {
        Group group = new Group(NoTradingSessions.FIELD, TradingSessionID.FIELD);
        group.setString(tag, pair[1]);
        message.addGroup(group);
      } else {
        message.setString(tag, pair[1]);
      }
    }
    message.setUtcTimeStamp(TransactTime.FIELD, LocalDateTime.now(ZoneOffset.UTC), true);
    Session.sendToTarget(message, id);
  }

  private void run() throws Exception {
    Files.createDirectories(Path.of(options.get("directory")));
    SessionSettings settings = settings();
    SocketInitiator initiator = new SocketInitiator(
        this, new MemoryStoreFactory(), settings, new FileLogFactory(settings), new DefaultMessageFactory());
    initiator.start();
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
      for (String line; (line = lines.readLine()) != null;) send(line);
    }
    initiator.stop(true);
    System.exit(0);
  }

  public static void main(String[] words) throws Exception {
    new QuickFixJTrader(words).run();
  }
}
