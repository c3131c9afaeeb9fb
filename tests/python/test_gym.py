"""The environment keeps Gymnasium's rules, and an episode is a back-test."""

import gc
import threading

import pytest

import dojima

gymnasium = pytest.importorskip("gymnasium")
np = pytest.importorskip("numpy")


def environment(day, **more):
    from dojima.gym import MarketMaking

    return MarketMaking(day, **{"period": "100ms", "exchange": "orders", **more})


def episode(env, seed=1, actions=None):
    """Rewards, and the info of the last step."""
    draw = np.random.default_rng(5)
    seen, info = env.reset(seed=seed)
    steps = []
    is_over = False
    while not is_over:
        action = actions or draw.integers(0, 3, 2)
        seen, reward, is_over, is_cut, info = env.step(action)
        assert env.observation_space.contains(seen) and not is_cut
        steps.append((reward, info["time"], info["position"]))
    return steps, info


def test_gymnasiums_own_check(day):
    from gymnasium.utils.env_checker import check_env

    env = environment(day)
    check_env(env, skip_render_check=True)
    env.close()


def test_an_episode_is_the_back_test_of_the_same_quotes(day):
    steps, info = episode(environment(day, max_position=10), actions=(1, 1))
    result = dojima.Backtest(day, "touch", exchange="orders").run()
    assert len(steps) > 100
    assert info["result"].fills_csv() == result.fills_csv()
    assert sum(reward for reward, _, _ in steps) == pytest.approx(info["equity"])


def test_the_same_seed_and_actions_give_the_same_episode(day, tmp_path):
    samples = tmp_path / "samples"
    samples.write_text("100000\n90000000\n")
    env = environment(day, entry=f"samples:{samples}")
    one, _ = episode(env)
    assert one == episode(env)[0] != episode(env, seed=2)[0]


def test_an_episode_can_be_left_and_begun_anew(day):
    before = threading.active_count()
    env = environment(day)
    for _ in range(5):
        env.reset(seed=1)
        env.step((1, 1))
    env.close()
    gc.collect()
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="reset"):
        env.step((1, 1))


def test_several_at_once(day):
    envs = gymnasium.vector.SyncVectorEnv([lambda: environment(day) for _ in range(3)])
    seen, _ = envs.reset(seed=[1, 2, 3])
    for _ in range(20):
        seen, rewards, *_ = envs.step(np.ones((3, 2), dtype=np.int64))
    assert seen.shape == (3, 22) and rewards[0] == rewards[1] == rewards[2]
    envs.close()


def test_a_vector_gives_what_its_environments_would(day):
    from dojima.gym import MarketMakingVector

    for data in (day, dojima.market(length="3s")):
        more = {"period": "100ms", **({"exchange": "orders"} if data is day else {})}
        vector = MarketMakingVector(data, num_envs=3, **more)
        plain = gymnasium.vector.SyncVectorEnv([lambda: environment(data, **more, **({"exchange": None} if data is not day else {}))
                                                for _ in range(3)])
        draw, ended = np.random.default_rng(3), 0
        seen, info = vector.reset(seed=4)
        theirs, their_info = plain.reset(seed=4)
        assert (seen == theirs).all() and (info["time"] == their_info["time"]).all()
        assert vector.observation_space == plain.observation_space and vector.action_space == plain.action_space
        while ended < 5:
            actions = draw.integers(0, 3, (3, 2))
            ours, expected = vector.step(actions), plain.step(actions)
            for one, other in zip(ours[:4], expected[:4]):
                assert (one == other).all()
            assert (ours[4]["position"] == expected[4]["position"]).all()
            ended += int(ours[2].sum())
            if ours[2].any():
                assert all((ours[4]["result"][at] is not None) == ours[2][at] for at in range(3))
        vector.close()
        plain.close()


def test_an_episode_in_a_market_has_a_market_of_its_seed():
    market = dojima.market(length="3s")
    env = environment(market, exchange=None)
    one, info = episode(env, seed=9, actions=(1, 1))
    assert one == episode(env, seed=9, actions=(1, 1))[0] != episode(env, seed=10, actions=(1, 1))[0]
    alone = dojima.Backtest(market.changed({"market.seed": 9}), "touch").run()
    assert info["result"].fills_csv() == alone.fills_csv() and info["result"].market["digest"] == alone.market["digest"]


def test_gymnasium_makes_them_by_name(day):
    import dojima.gym  # noqa: F401

    env = gymnasium.make("dojima/MarketMaking-v0", data=day, period="100ms")
    env.reset(seed=1)
    env.step((1, 1))
    env.close()
    envs = gymnasium.make_vec("dojima/MarketMaking-v0", num_envs=2, data=day, period="100ms")
    assert isinstance(envs.unwrapped, dojima.gym.MarketMakingVector)
    seen, _ = envs.reset(seed=[5, 6])
    assert seen.shape == (2, 22)
    for wrong in (np.ones((3, 2), dtype=np.int64), np.full((2, 2), 9), np.ones((2, 2))):
        with pytest.raises(ValueError, match="actions"):
            envs.unwrapped.step(wrong)
    with pytest.raises(ValueError, match="seed"):
        envs.unwrapped.reset(seed=[1, 2, 3])
    envs.close()
    with pytest.raises(ValueError, match="num_envs"):
        dojima.gym.MarketMakingVector(day, 0)


@pytest.mark.parametrize("more", [{"levels": 0}, {"ticks": 0}, {"quantity": 0}, {"max_position": True}, {"instrument": 1}, {"instrument": "RICE"}, {"seed": 1},
                                  {"period": 0}, {"exchange": "venue"}])
def test_what_makes_no_sense_is_a_value_error(day, more):
    with pytest.raises(ValueError):
        environment(day, **more)


def test_an_action_that_makes_no_sense(day):
    env = environment(day)
    env.reset(seed=1)
    for action in ((6, 0), (-1, 0), (1,), (0.5, 1.0)):
        with pytest.raises(ValueError, match="action"):
            env.step(action)
    env.close()
